from fractions import Fraction as F
L = F(3, 10)
for k, eta in (("edge", F(20,3)), ("wide", F(20000001,3000000))):
    x = F(7)
    for _ in range(100): x -= eta*L*x
    left, gap = L*x*x/2, L*49/2
    print(k, "eta L", float(eta*L), "<= 2.000001", eta*L <= 2+F(1,10**6), "left", float(left), "f0-f*", float(gap), left == gap, left > gap, "growth violated", left > gap*(1-F(1,10**6)))
