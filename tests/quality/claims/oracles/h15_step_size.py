from fractions import Fraction as F
def left(steps):
    x = F(5)
    for s in steps: x -= F(s)*x
    return x*x/25
n = F(9,10)
print("long: code", float(left([F(27,10)]*2)), "told", float(left([n]*2)), "bound 1")
print("late: code", float(left([F(1,2)]*3)), "told", left([F(1,2)/(t+1) for t in range(3)]) == F(25,256), "bound", 25/256)
print("honest-long", float(left([n]*2)), "<= 1; honest-late", float(left([F(1,2)/(t+1) for t in range(3)])), ">=", 25/256, "; honest-false", float(left([n/(t+1) for t in range(3)])), "<", 25/256)
