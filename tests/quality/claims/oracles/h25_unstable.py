from fractions import Fraction as F
H = [[F("0.68"),F("1.16")],[F("1.16"),F("2.42")]]
for T in (10, 60, 100, 200):
    x = [F(2),F(-1)]; y = [2.,-1.]
    for _ in range(T):
        x = [x[i]-sum(H[i][j]*x[j] for j in (0,1)) for i in (0,1)]; y = [y[i]-sum(float(H[i][j])*y[j] for j in (0,1)) for i in (0,1)]
    n = x[0]**2+x[1]**2
    print(T, "left", float(n), "claim equality", n == F(9,10)**(2*T)*5, "rival violated", n > F(9,10)**(2*T)*5/2, ">= 1:", n >= 1, "| floats", y[0]**2+y[1]**2)

for L, eta in (("0.1","9.99999999"),("0.3","3.33333333333")):
    for T in (1,3):
        x, y = F(1), 1.
        for _ in range(T): x -= F(eta)*F(L)*x; y -= float(eta)*float(L)*y
        print("cancel", L, T, "left", float(x*x), "equality", x*x == (1-F(eta)*F(L))**(2*T), "| floats", y*y)
