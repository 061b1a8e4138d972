"""A theorem in LaTeX becomes the skeleton of a statement; the table of letters reads it.

sympy's own reader of LaTeX was tried: it knows no norms, accents, ``f^*`` or ``f(x_0)``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.latex.skeleton import skeleton as skeleton
    from theorylab.latex.tokens import LatexError as LatexError
else:
    from theorylab.lazy import attach

    attach(__name__)
