from fractions import Fraction as F
from itertools import product
E = sum(F(1,16)*(3*sum(s))**2 for s in product((-1,1), repeat=4))
print("E|x^4|^2", E, "low", 18, E > 18, "high", 54, E <= 54, "largest", max((3*sum(s))**2 for s in product((-1,1), repeat=4)))
