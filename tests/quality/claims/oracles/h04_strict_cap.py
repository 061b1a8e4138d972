from fractions import Fraction as F
for k, L, eta, T in (("edge-49","49","1/49",2),("edge-.3",".3","10/3",2),("edge-.1","10",".1",2),("edge-1.1","1.1","10/11",2),("beside-a","10",".0999",2),("beside-b",".1","9.99999999",1)):
    L, eta = F(L), F(eta); x = F(1)
    for _ in range(T): x -= eta*L*x
    left, bound = L*x*x/2, (1-L*eta)**(2*T)*L/4
    print(k, "eta L < 1:", eta*L < 1, "left", float(left), "bound", float(bound), "violated:", left > bound)
