from fractions import Fraction as F
for k, R, L, eta in (("x-large","1e80","1","1"),("x-small","1e-80","1","1"),("f-small","1","1e-80","1e80"),("f-large","1","1e80","1e-80"),("both","1e-60","1e80","1e-80")):
    R, L, eta = F(R), F(L), F(eta); mu = L/10; assert eta*L == 1
    x = R
    for _ in range(5): x -= eta*mu*x
    b = (1-mu*eta)**10*R*R
    print(k, "left %.6g claim %.6g" % (x*x, b), x*x == b, "rival violated", x*x > b*(1-F(1,10**6)), "| gap equal", mu*x*x/2 == (1-mu*eta)**10*mu*R*R/2)
