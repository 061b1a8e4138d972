"""The left and right sides of edges.py, in fractions; prints each, and which is larger."""

from decimal import Decimal
from fractions import Fraction
from math import sqrt


def number(text):
    return Fraction(Decimal(str(text)))


def gap(top, step, rounds, start=2):
    return top / 2 * (1 - step * top) ** (2 * rounds) * start**2


for top, step in ((10, ".1"), (".3", None), ("1.1", None), (".001", 1000), (49, None), (3, None)):
    curvature = number(top)
    left = gap(curvature, 1 / curvature if step is None else number(step), 2)
    right = curvature * 4 / 10
    print(f"once, L = {top}: {float(left)} <= {float(right)}: {left <= right}")
left, right = gap(Fraction(10), number(".1999999999999"), 3), Fraction(99, 100) * 20
print(f"inside: {float(left)} <= {float(right)}: {left <= right}")
low, high, step = Fraction(3, 10), Fraction(11, 10), 2 / (Fraction(3, 10) + Fraction(11, 10))
left = sum((1 - step * bent) ** 6 * 4 for bent in (low, high))
right = ((high - low) / (high + low)) ** 6 * 8
print(f"tied: {left} <= {right}: {left <= right}; with 1 - 1e-6: {left <= right * 999999 / 10**6}")
step = 4 / (sqrt(3) + sqrt(0.7)) ** 2
left = sum((1 - step * bent) ** 6 * 4 for bent in (0.7, 3))
right = ((sqrt(3) - sqrt(0.7)) / (sqrt(3) + sqrt(0.7))) ** 6 * 8
print(f"roots: {left} <= {right}: {left <= right}")
