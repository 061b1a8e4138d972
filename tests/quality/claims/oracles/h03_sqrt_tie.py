from fractions import Fraction as F
mu, L, eta, m, T = F(1,100), F(49,100), F(25,4), F(9,16), 10
sL, smu, r = F(7,10), F(1,10), F(3,4)
assert sL**2 == L and smu**2 == mu and r*r == m
assert eta*(sL+smu)**2 == 4 and m*(sL+smu)**2 == (sL-smu)**2
y, old = F(8), F(8)
for _ in range(T): y, old = y - eta*mu*y + m*(y-old), y
bound = (1+(1-r)*T)**2*r**(2*T)*64
print("left", float(y*y), "claim", float(bound), y*y == bound, "| bare-rate", float(r**(2*T)*64), y*y > r**(2*T)*64)
