from fractions import Fraction as F
for k, mu, L, h in (("a","3/10","11/10","10/7"),("b","1/10","3/10","5"),("c","1/1000","49","2000/49001")):
    mu, L, h, T = F(mu), F(L), F(h), 9
    assert h * (mu + L) == 2
    x = [F(-3), F(1)]
    for _ in range(T): x = [x[0]*(1-h*mu), x[1]*(1-h*L)]
    left, bound = x[0]**2+x[1]**2, (1-2*h*mu*L/(mu+L))**T*10
    print(k, float(left), "claim", float(bound), left == bound, "| rival", float(bound*(1-F(1,10**6))), left > bound*(1-F(1,10**6)))
