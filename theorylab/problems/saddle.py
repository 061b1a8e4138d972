"""f_i(x, y) = (x - a_i)^T C_i (y - b_i) + r_i |x - a_i|^2 / 2 - s_i |y - b_i|^2 / 2.

With r_i = s_i = 0 the payoffs are bilinear, L_field is max_i |C_i| and mu_field is 0; the zero of
the field is enclosed where the mean of C_i is square and has an inverse. Else mu_field is the least
of mean r_i and mean s_i.
"""
# mypy: disable-error-code=no-untyped-def

from theorylab.problems.formula import Option, Options
from theorylab.problems.min_max import MinMaxProblem


class Saddle(MinMaxProblem, name="saddle"):
    """See the head of this module.

    Args:
        clients: n. dim_x, dim_y: p and q, 1 unless the arrays say otherwise.
        coupling: C, (n, p, q). a: (n, p). b: (n, q). bend_x: r >= 0, (n,). bend_y: s >= 0, (n,).
            One number stands for all entries.

    >>> Saddle(1, coupling=2.0, a=1.0, bend_x=0.5).optimum.tolist()
    [1.0, 0.0]
    """

    options = Options(
        coupling=Option(1.0, each=True, shape="p q", moves=(-100.0, 100.0), curvature=True),
        a=Option(0.0, each=True, shape="p", moves=(-100.0, 100.0), length=True),
        b=Option(0.0, each=True, shape="q", moves=(-100.0, 100.0), length=True),
        bend_x=Option(0.0, each=True, at_least=0, moves=(0.0, 100.0), curvature=True),
        bend_y=Option(0.0, each=True, at_least=0, moves=(0.0, 100.0), curvature=True),
    )

    @staticmethod
    def client_payoff(x, y, coupling, a, b, bend_x, bend_y):
        u, v = x - a, y - b
        return (u * (coupling @ v)).sum() + bend_x * (u * u).sum() / 2 - bend_y * (v * v).sum() / 2
