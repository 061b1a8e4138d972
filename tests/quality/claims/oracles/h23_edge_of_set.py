from fractions import Fraction as F
x, hist = F(2), []
for t in range(201):
    hist.append(x); x = min(F(10), max(F(0), x - F(1,10)*(1+x)))
print("x^5", hist[5], "squared", hist[5]**2, float(hist[5]**2), "contracts", float(F(9,10)**10*4), "tight")
print("first zero", next(t for t, v in enumerate(hist) if v == 0), "x^30", hist[30], "f(x^30)", 0, "f - f_star", .5)
g = sum((1+v)**2 for v in hist[:200])/200
print("stationary: left", float(g), "bound", float(2*(F(4)+F(1,2))/(F(1,10)*200)), g > 2*(F(4)+F(1,2))/(F(1,10)*200))
