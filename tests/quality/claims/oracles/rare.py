"""The means of rare.py: by outcomes, by closed forms, and for the noise by its first hit alone."""

from fractions import Fraction
from math import cosh, exp, log, tanh


def after(x, rounds, eta=0.1):
    for _ in range(rounds):
        x -= eta * tanh(x)
    return log(cosh(x))


# Exactly one hit, in round t, of size eta / sqrt(p) = 10: the chance is p (1 - p)^29 each time.
p, T = 1e-4, 30
once = sum(p * (1 - p) ** (T - 1) * after(10.0, T - 1 - t) for t in range(T))
print(f"noise: the mean is at least {once:.6f}, claimed is {0.1**2 / 4}")
# x - eta tanh x is nearer to 0 than x, so |x^T| <= the sum of all moves; log cosh x <= |x|.
print(f"walk: the mean is at most eta T E|xi| = {0.1 * T * p**0.5}, which is the claim")
mean = Fraction(1, 2) ** 12 * Fraction(2**12) ** 2 / 2
print(f"own, coin: the mean is {mean}, claimed 1/2; twin claims {1.001 * 2**12 / 2}")
q = Fraction(1, 10**6)
mean = 10**6 * (20 * q * (1 - q) + (20 * q) ** 2)
print(f"jump: the mean is {float(mean)}, claimed 1; leap claims 20.01")
print(f"swell: the mean is exp(36) = {exp(36):.3g}, claimed 1000")
