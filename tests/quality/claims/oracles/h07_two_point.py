import math
p, T, eta = 1e-6, 30, .5
print("quad left", eta**2*sum((1-eta)**(2*k) for k in range(T)), "false bound", eta**2/100, "true bound", eta/(2-eta))
f = lambda x: abs(x)+math.log1p(math.exp(-2*abs(x)))-math.log(2)
low = 0
for s in range(T):
    x = eta/math.sqrt(p)
    for _ in range(T-1-s): x -= eta*math.tanh(x)
    low += p*(1-p)**(T-1)*f(x)
print("cosh: E f in [%.6g, %.6g]" % (low, T*eta*math.sqrt(p)), "false bound", T*eta/1e5, "true bound", T*eta*math.sqrt(p))
