from fractions import Fraction as F
for k, L, b, eta, T in (("one","1","1/9","1",4),("tenths",".3","1/5","10/3",2),("ten","10","1/3",".1",1)):
    L, b, eta, x = F(L), F(b), F(eta), F(1)
    assert eta*L == 1 and b == F(1, 2*T+1)
    for _ in range(T): x -= eta*L*max(-b, min(b, x))
    f = L*(x*x/2 if abs(x) <= b else b*abs(x)-b*b/2); bound = L/(4*T+2)
    print(k, "left", float(f), "claim", float(bound), f == bound, "rival violated", f > bound*(1-F(1,10**6)), "digit violated", f > bound*(1-F(1,10**13)))
