"""The numbers of shared.py, signed.py, rounding.py and starts.py, in fractions."""

from fractions import Fraction
from math import comb

# shared: over all paths of 16 signs, counted by how many are +1.
mean = sum(comb(16, up) * Fraction((2 * up - 16) ** 2, 2**16) for up in range(17))
print(f"shared: E|x^16|^2 = {mean}, claimed {16 / 2}; with independent coins {8 * 16} is claimed")
# signed: E x moves by -eta/4 a round, whatever the noise.
print(f"signed: E f = {-Fraction(1, 10) * 16 / 16}; rare claims that it is at least -.05")
quiet = Fraction(999, 1000) ** (16 * 64)
print(f"    64 runs of 16 draws see no hit with chance {float(quiet):.3f}")
for step in (Fraction("2.5e-16"), Fraction(1, 10)):
    left, right = (3 + step) ** 2 - 9, (6 + step) * step
    print(f"rounding: {float(left)} = {float(right)}: {left == right}")
eta, T = Fraction(6, 100), 25
left, start = (1 - eta) ** (2 * T) * Fraction(9, 2), Fraction(9, 2)
print(
    f"starts: f(x^T) is {float(left / start)} of f0, and (1 - eta)^(2T) is {float((1 - eta) ** 50)}"
)
x, values = Fraction(1), []
for _ in range(T):
    values.append(abs(x))
    x -= eta * (-1 if x < 0 else 1)
bound = (1 + T * eta**2) / (2 * T * eta)
print(f"kink: min f = {float(min(values))} <= {float(bound)}; sooner claims {float(bound / 1000)}")
