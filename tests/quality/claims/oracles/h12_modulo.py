import numpy as np
for salt in (94, 282): print(salt, [int(np.random.default_rng([salt, r]).random() >= .5) for r in range(8)])
print("fair: E", 18.0, "low", 9, 18 > 9, "high", 27, 18 <= 27, "ceiling", 36)
