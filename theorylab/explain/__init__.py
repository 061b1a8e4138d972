"""Why a verdict is what it is: the claim, the instance in a line, what fails, what mends it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.explain.causes import fault_of as fault_of
    from theorylab.explain.explanation import Explanation as Explanation
    from theorylab.explain.explanation import explained as explained
    from theorylab.explain.explanation import rechecked as rechecked
    from theorylab.explain.explanation import reproduced as reproduced
    from theorylab.explain.explanation import script_of as script_of
    from theorylab.explain.explanation import text_of as text_of
    from theorylab.explain.finding import finding_lines as finding_lines
    from theorylab.explain.instance_line import instance_line as instance_line
    from theorylab.explain.instance_line import letter as letter
    from theorylab.explain.judged import judged as judged
    from theorylab.explain.judged import put_in as put_in
else:
    from theorylab.lazy import attach

    attach(__name__)
