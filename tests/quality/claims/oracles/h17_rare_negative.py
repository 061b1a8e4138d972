from fractions import Fraction as F
p = F(1, 10**4); E = 3*((1-p) - p*10**5)
print("E", float(E), "positive >= 0", E >= 0, "floor >= -30", E >= -30, "below <= -27", E <= -27, "near <= -27.3", E <= F(-273,10), "range", -3*10**5, 3)
