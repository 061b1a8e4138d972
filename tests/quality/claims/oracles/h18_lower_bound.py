import math
p, T, eta = 1e-6, 30, .5
print("quad left", eta**2*sum((1-eta)**(2*k) for k in range(T)), "low .33 true, high .334 false")
f = lambda x: abs(x)+math.log1p(math.exp(-2*abs(x)))-math.log(2)
low = 0
for s in range(T):
    x = eta/math.sqrt(p)
    for _ in range(T-1-s): x -= eta*math.tanh(x)
    low += p*(1-p)**(T-1)*f(x)
print("cosh: E f in [%.6g, %.6g]" % (low, T*eta*math.sqrt(p)), "low .014 true, high .016 false, ceiling", T*eta/math.sqrt(p))
