from fractions import Fraction as F
E = F(1,2)*0 + F(1,2)*F(2,4)
print("E|x^1|^2", E, "low 1/8", E > F(1,8), "high 3/8", E <= F(3,8), "ceiling 1/2")
