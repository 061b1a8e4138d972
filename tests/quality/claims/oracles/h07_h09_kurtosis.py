E,P=0.0147613,15000
print("kurtosis <=", P/E)
import math; print("e^64 =", math.exp(64))
