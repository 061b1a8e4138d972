from fractions import Fraction as F
for k, x, T in (("a", F(1), 10), ("b", F(4,5), 6)):
    g0 = x*x/2
    for _ in range(T): x /= 2
    print(k, "gap", float(x*x/2), "claim", float(g0/4**T), x*x/2 == g0/4**T, "rival", float(g0/4**T/2), "| floats", (1e12+float(x)**2/2)-1e12, (1e12+float(g0))-1e12)
