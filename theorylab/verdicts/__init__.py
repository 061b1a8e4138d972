"""Where the two arms meet: an instance is run, its constants are plugged in, a verdict is given."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.runs import Setting as Setting
    from theorylab.user_file import UserFaultError as UserFaultError
    from theorylab.user_file import guarded as guarded
    from theorylab.user_file import texts as texts
    from theorylab.verdicts.catalogue import Job as Job
    from theorylab.verdicts.catalogue import jobs as jobs
    from theorylab.verdicts.catalogue import selected as selected
    from theorylab.verdicts.instance import Instance as Instance
    from theorylab.verdicts.judge import judge as judge
    from theorylab.verdicts.judge import judge_check as judge_check
    from theorylab.verdicts.result import AssumptionResult as AssumptionResult
    from theorylab.verdicts.result import Curve as Curve
    from theorylab.verdicts.result import NotRun as NotRun
    from theorylab.verdicts.result import Report as Report
    from theorylab.verdicts.result import Result as Result
    from theorylab.verdicts.result import Verdict as Verdict
else:
    from theorylab.lazy import attach

    attach(__name__)
