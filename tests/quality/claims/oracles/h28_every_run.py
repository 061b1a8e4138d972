from fractions import Fraction as F
from math import comb
p = F(1,10**4); b = lambda n,k: comb(n,k)*p**k*(1-p)**(n-k)
P1 = 1-b(10,0); P2 = P1-b(10,1); M = sum(b(9,k)*k*k for k in range(10))
print("P(S>=1)", float(P1), "> 9.99e-4", P1 > F(999,10**6), "<= 1e-3", P1 <= F(1,1000), "| P(S>=2)", float(P2), "<= 4.6e-7", P2 <= F(46,10**8))
print("E max_{t<10}", float(M), "> 1e-4", M > F(1,10**4), "<= 9.01e-4", M <= F(901,10**6), "| E S^2 at T", float(sum(b(10,k)*k*k for k in range(11))))
