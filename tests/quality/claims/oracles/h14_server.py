import numpy as np
n = 16; W = sum(np.roll(np.eye(n), k, axis=0) for k in (-1,0,1))/3; c = np.arange(n)-7.5
for T in (1, 6):
    x = np.zeros(n); s = np.zeros(n)
    for _ in range(T):
        x = W@(x-.5*(x-c)); h = s-.5*(s-c); s = np.full(n, h.mean())
    print("T", T, "gossip: mean square", ((x-x.mean())**2).mean(), "sum", ((x-x.mean())**2).sum(), "| code", ((s-s.mean())**2).sum())
