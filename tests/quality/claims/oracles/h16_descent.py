from fractions import Fraction as F
L, eta, x = F(3,10), F(11,10), F(2)
for t in range(5):
    y = x - eta*L*x; left = L*(y*y-x*x)/2; b = -(eta-L*eta**2/2)*L**2*(1-eta*L)**(2*t)*4
    print(t, float(left), float(b), left == b, "rival violated", left > b*(1+F(1,10**6)), "less violated", left < b*(1-F(1,10**6))); x = y
