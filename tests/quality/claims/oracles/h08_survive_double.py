from fractions import Fraction as F
for T in (8, 40):
    law = {F(1): F(1)}
    for _ in range(T):
        new = {}
        for x, p in law.items():
            for y in (2*x, F(0)): new[y] = new.get(y, 0) + p/2
        law = new
    E = sum(p*x*x/2 for x, p in law.items()); g = F(1,2)
    print(T, "E/(f0-f*)", E/g, "== 2^T", E == 2**T*g, "false violated", E > g)
p = F(1,100); E = (1-p*p) + p*p*10**6
print("nested E/(f0-f*)", float(E), "> 2", E > 2, "<= 101", E <= 101)
