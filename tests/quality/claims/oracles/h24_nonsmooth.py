from fractions import Fraction as F
s = lambda v: (v > 0) - (v < 0)
def path(x, T, eta=F(1,5)):
    out = [x]
    for _ in range(T): x = x - eta*s(x); out.append(x)
    return out
p = path(F(1,10), 10); avg = sum(abs(v) for v in p[:10])/10; fast = F(1,100)/(2*F(1,5)*10)
print("average", float(avg), "bound", float(fast+F(1,10)), avg <= fast+F(1,10), "| last", float(abs(p[10])), "bound", float(fast), "| edge equality", abs(p[10]) == F(1,10))
q = path(F(3,5), 4); print("lands", [str(v) for v in q], "floats", .6-.2-.2-.2)
