from fractions import Fraction as F
from itertools import combinations, product
print("index", F(1,1000)*10**6)
s = list(combinations(range(6), 2)); print("subset", F(sum(0 in c for c in s), len(s))*3600)
print("finite", F(1,10**9)*10**12)
print("sign", sum(F((10*sum(c))**2, 1024) for c in product((-1,1), repeat=10)))
p = F(1,1000); from math import comb
print("index3", sum(comb(3,k)*p**k*(1-p)**(3-k)*(1000*k)**2 for k in range(4)))
q = F(1,10); print("shared", q*10**4, "apart", sum(comb(4,k)*q**k*(1-q)**(4-k)*(F(100*k,4))**2 for k in range(5)))
