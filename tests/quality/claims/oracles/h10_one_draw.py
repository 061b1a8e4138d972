from fractions import Fraction as F
E = sum(F(1,2)*(3*s)**2 for s in (0, 2))
print("E|x^1|^2", E, "low", F(3,2)*9, E > F(3,2)*9, "high", F(5,2)*9, E <= F(5,2)*9, "at-least", E >= F(3,2)*9, "ceiling", 36)
