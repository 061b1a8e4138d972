import math, numpy as np
# E exp(8Z) = exp(64/2) in closed form; numeric integration as a check
z = np.linspace(-40, 40, 400001); m = np.trapezoid(np.exp(8*z - z*z/2 - 32)/math.sqrt(2*math.pi), z) if hasattr(np,'trapezoid') else np.trapz(np.exp(8*z - z*z/2 - 32)/math.sqrt(2*math.pi), z)
print("E xi^2 / e^32 =", m, " left", .25*math.exp(32), "false", .25*math.exp(28), "true", .25*math.exp(32)*1.000001, "double", .5*math.exp(32))
print("mean of 1000 draws:", [f"{np.exp(8*np.random.default_rng(s).standard_normal(1000)).mean():.2g}" for s in range(5)], "against", f"{math.exp(32):.2g}")
