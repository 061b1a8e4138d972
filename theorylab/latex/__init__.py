"""A theorem in LaTeX becomes the skeleton of a statement; the table of letters reads it.

sympy's own reader of LaTeX was tried: it knows no norms, accents, ``f^*`` or ``f(x_0)``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.latex.reader import Letters as Letters
    from theorylab.latex.reader import expression as expression
    from theorylab.latex.skeleton import skeleton as skeleton
    from theorylab.latex.tokens import LatexError as LatexError
    from theorylab.latex.tokens import tokens as tokens
else:
    from theorylab.lazy import attach

    attach(__name__)
