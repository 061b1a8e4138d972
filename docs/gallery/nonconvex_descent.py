"""Gradient descent on any smooth f (Taylor 2017, PhD thesis, page 190).

Read in the docstring of PEPit 0.5, examples/nonconvex_optimization/gradient_descent,
https://arxiv.org/pdf/2104.05468v3.pdf: with a step of at most 1/L (here 1/L itself, for which it is
computed) min over t <= n of |grad f(x_t)|^2 is at most (4/3) (L/n) (f(x_0) - f(x_n)), and f(x_n) is
at least f*. "best" looks at T models, so that n = T - 1. The rival has a rate of 1/n^2.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.symbols import L, T, eta, f0, f_star, n, sigma_l

RUN = {"problem": {"name": "huber", "centers": 0.0}, "clients": 1, "x0": 9.0}
RUN |= {"rounds": 8, "algorithm": {"eta": 1.0}}
RATE = sp.Rational(4, 3) * L / (T - 1) * (f0 - f_star)
STATEMENT = st.Statement(
    "gallery.nonconvex",
    st.Source("Taylor 2017", "page 190", "gradients of a smooth f"),
    st.Quantity("squared_gradient", "best"),
    st.versions(
        {"claim": RATE, "rival": RATE / T}, RUN, sp.Eq(eta * L, 1), T > 1, n <= 1, sigma_l <= 0
    ),
    "sgp",
)
