from fractions import Fraction as F
X = [F("0.1"),F("0.7"),F("-1.3"),F("2.3"),F(1000,3),F("-0.9"),F("1.1")]; n = 7
m0 = sum(X)/n; s0 = sum((x-m0)**2 for x in X); x = X
for t in range(12):
    x = [(x[i-1]+x[i]+x[(i+1)%n])/3 for i in range(n)]
    assert sum(x)/n == m0 and sum((v-m0)**2 for v in x) <= s0
print("mean kept exactly for 12 rounds; spread never above", float(s0))
x = X; # one W with row sums 1 only: client i averages itself and client 4
x = [(v+X[4])/2 for v in x]
print("a row-stochastic W moves the mean by", float(sum(x)/n-m0))
