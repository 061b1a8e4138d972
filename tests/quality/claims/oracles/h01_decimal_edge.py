from fractions import Fraction as F
for name, mu, L, eta in (("ten","1","10","1/10"),("thousand","300","1000","1/1000"),("forty-nine","7/10","49","1/49"),("eleven-tenths","3/10","11/10","10/11"),("three-tenths","1/10","3/10","10/3")):
    mu, L, eta, a, T = F(mu), F(L), F(eta), F(4), 7
    assert eta * L == 1
    x = [F(0), F(0)]
    for _ in range(T): x = [x[0] - eta * mu * (x[0] - a), x[1] - eta * L * x[1]]
    left, bound = (x[0]-a)**2 + x[1]**2, (1-mu*eta)**(2*T) * a**2
    print(name, float(left), float(bound), left == bound, "TRUE with equality")
