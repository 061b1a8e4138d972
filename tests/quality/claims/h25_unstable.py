"""h25. ROUNDING THAT GROWS: gradient descent with eta = 1 on f(x) = x^T H x/2 with eigenvalues .1 along
(2, -1) and 3 along (1, 2): H = [[.68, 1.16], [1.16, 2.42]] in exact decimals, x^0 = (2, -1).
TRUTH: H x^0 = .1 x^0, so x^t = .9^t x^0 and |x^T|^2 = 5 (.9)^(2T); in floats the rounding of a step
grows by |1 - 3| = 2 a step, to 2^100 1e-17 = 10^13 at T = 100 (oracle).
claim-T: |x^T - x*|^2 <= (1 - mu eta)^(2T) R^2: TRUE, equality, T = 10, 60, 100, 200.
loose-T: twice the bound: TRUE. rival-T: half the bound: FALSE. at-least-100: |x^T|^2 >= 1: FALSE (3.5e-9).
cancel-*: x^2 L/2 with eta L = 1 - 10^-9 (L = .1, eta = 9.99999999) or 1 - 10^-12 (L = .3, eta =
3.33333333333), x^0 = 1, T = 1 or 3: |x^T|^2 = (1 - eta L)^(2T): TRUE, equality, where floats lose 7 to 4 digits.
cancel-half: half of it: FALSE (T = 1). true: HOLDS best, INCONCLUSIVE acceptable, VIOLATED wrong. false: VIOLATED best, INCONCLUSIVE
acceptable, HOLDS wrong. (rival-100: VIOLATED is right, even where its measured number is nonsense.)"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, eta, mu, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
G = symbol("g2", "g^2", "a claimed squared distance", units=(0, 2))


def run(rounds):
    return {
        "problem": {"name": "quadratic", "H": [[[0.68, 1.16], [1.16, 2.42]]], "c": [[0.0, 0.0]]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": rounds,
        "algorithm": {"eta": 1.0},
        "x0": [2.0, -1.0],
        "constants": {"R2": 5, "g2": 1},
    }


def near(high, step, rounds):
    place = run(rounds) | {"problem": {"name": "quadratic", "H": [[[high]]], "c": [[0.0]]}}
    return place | {"algorithm": {"eta": step}, "x0": 1.0, "constants": {"R2": 1}}


NINE, TWELVE = (0.1, 9.99999999), (0.3, 3.33333333333)
NEAR = {f"cancel-9-{t}": near(*NINE, t) for t in (1, 3)}
NEAR |= {f"cancel-12-{t}": near(*TWELVE, t) for t in (1, 3)}
BOUND = (1 - mu * eta) ** (2 * T) * R2


def version(name, bound, verdict, times=(10, 60, 100, 200), relation="<="):
    checks = tuple(Check(f"{name}-{time}", run(time), verdict) for time in times)
    return Version({"bound": bound}, (), checks, relation=relation)


STATEMENT = Statement(
    id="hostile.h25",
    source=Source("hostile", "Lemma 25", "an unstable direction that is never entered"),
    algorithm="sgp",
    quantity=Quantity("squared_distance", "last"),
    versions={
        "a": version("claim", BOUND, "HOLDS"),
        "b": version("loose", 2 * BOUND, "HOLDS"),
        "c": version("rival", BOUND / 2, "VIOLATED"),
        "d": version("at-least", G, "VIOLATED", (100,), ">="),
        "e": Version({"b": BOUND}, (), tuple(Check(k, v, "HOLDS") for k, v in NEAR.items())),
        "f": Version({"b": BOUND / 2}, (), (Check("cancel-half", near(*NINE, 1), "VIOLATED"),)),
    },
)
