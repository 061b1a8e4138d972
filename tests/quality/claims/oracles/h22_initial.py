from fractions import Fraction as F
print("fixed: left", float(F(9,2)/64), "at-least .07", F(9,2)/64 >= F(7,100), "low violated", F(9,2)/64 > F(7,100), "| R left", 9/64)
E = (F(999,1000)*1 + F(1,1000)*10**6)/2/64
print("lottery: E f(x^3)", float(E), "> .01", E > F(1,100), "<= 7.83", E <= F(783,100), "; usual run", .5/64)
