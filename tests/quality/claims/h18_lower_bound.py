"""h18. LOWER BOUNDS THAT ARE TRUE BY RARE RUNS: SGD on log cosh from its minimum 0, eta = 1/2, T = 30,
"two-point" noise with p = 10^-6, sigma = 1 (0, or +-1000 with chance 10^-6 a step). With chance .99997 a
run stays at 0, so samples show f(x^T) - f* = 0; exactly, .01476 <= E[f(x^T) - f*] <= .015 (oracle).
CLAIMS: low: E[...] >= .014 TRUE. low-given: the same with the true ceiling 15000. high: >= .016 FALSE.
quad-low: on x^2/2 E|x^T|^2 = .3333 (1 - 4^-30) >= .33 TRUE. quad-high: >= .334 FALSE. zero: >= 0 TRUE.
true ones: HOLDS best, INCONCLUSIVE acceptable, VIOLATED wrong. false ones: VIOLATED best,
INCONCLUSIVE acceptable, HOLDS wrong."""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

LOW = symbol("low", r"\ell", "a claimed lower bound of f - f*", units=(1, 0))
NEAR = symbol("near", r"\nu", "a claimed lower bound of a squared distance", units=(0, 2))
TOP = symbol("top", r"\top", "f - f* is never more", units=(1, 0))


def run(base, **claimed):
    return {
        "problem": {"name": "noisy", "base": base, "field": "two-point", "chance": 1e-6},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 30,
        "algorithm": {"eta": 0.5},
        "constants": claimed,
    }


COSH = {"name": "log-cosh", "dim": 1}
QUAD = {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]}
GAP, DISTANCE = Quantity("suboptimality", "last"), Quantity("squared_distance", "last")
GIVEN = Quantity("suboptimality", "last", ceiling=TOP)


def version(name, quantity, bound, place, verdict):
    check = (Check(name, place, verdict),)
    return Version({"bound": bound}, (), check, quantity=quantity, relation=">=")


STATEMENT = Statement(
    id="hostile.h18",
    source=Source("hostile", "Lemma 18", "a floor of noise"),
    algorithm="sgp",
    quantity=GAP,
    versions={
        "a": version("low", GAP, LOW, run(COSH, low=0.014), "HOLDS"),
        "b": version("low-given", GIVEN, LOW, run(COSH, low=0.014, top=15000.0), "HOLDS"),
        "c": version("high", GAP, LOW, run(COSH, low=0.016), "VIOLATED"),
        "d": version("quad-low", DISTANCE, NEAR, run(QUAD, near=0.33), "HOLDS"),
        "e": version("quad-high", DISTANCE, NEAR, run(QUAD, near=0.334), "VIOLATED"),
        "f": version("zero", GAP, LOW, run(COSH, low=0), "HOLDS"),
    },
)
