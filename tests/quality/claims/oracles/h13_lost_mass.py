from fractions import Fraction as F
# a directed ring, half kept and half sent on (column sums 1)
x = [F(1)]*4
for _ in range(20):
    x = [(x[i]+x[i-1])/2 for i in range(4)]; x[0] *= F(9,10)
m = sum(x)/4
print("of the code: left/(f0-f*)", float(m*m), "<= 1/2:", m*m <= F(1,2), "; of gossip: 1")
