"""h15. A WRONG step_size: the class tells its steps by step_size(t), and its step uses others.
f(x) = x^2/2, x^0 = 5.
"long": tells .9, uses 2.7. CLAIM: steps told <= 1/L never raise f: TRUE of gradient descent with
such steps; the code diverges (left/(f0-f*) = 1.7^(2T) = 8.35 at T = 2).
"late": tells .5/(t+1), uses .5. CLAIM: with eta_t = .5/(t+1), f(x^3)-f* >= (25/256)(f0-f*): TRUE of
such steps (equality: (1/2)(3/4)(5/6) = 5/16); the code has (1/8)^2 = .0156 < .0977.
"honest-long": tells and uses .9; "honest-late": tells and uses .5/(t+1): true twins, HOLDS best.
"honest-false": tells and uses .9/(t+1), claim "f(x^3)-f* >= (25/256)(f0-f*)" FALSE:
((1-.9)(1-.45)(1-.3))^2 = .00148.
long, late: ERROR (named) best, INCONCLUSIVE and ASSUMPTION_FAILS acceptable; VIOLATED acceptable only
if the row or a line names the steps; HOLDS wrong. honest twins: HOLDS best, INCONCLUSIVE acceptable,
ERROR/VIOLATED wrong. honest-false: VIOLATED best, INCONCLUSIVE acceptable, HOLDS wrong."""

import sympy as sp

from theorylab.algorithms import Algorithm
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import f0, f_star


class Teller(Algorithm, name="h15-teller"):
    def __init__(self, tells, uses, falls_told=False, falls_used=False):
        self.tells, self.uses = tells, uses
        self.falls_told, self.falls_used = falls_told, falls_used

    def step_size(self, t):
        return self.tells / (t + 1) if self.falls_told else self.tells

    def step(self, state, net):
        size = self.uses / (state.t + 1) if self.falls_used else self.uses
        return net.next(state, x=state.x - size * net.gradient(state.x))


def run(rounds, **options):
    return {
        "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": rounds,
        "algorithm": options,
        "x0": 5.0,
    }


def short(setting):
    largest = max(setting.algorithm.step_size(t) for t in range(setting.rounds))
    return largest <= 1, 1 - largest, f"the largest step is {largest:.3g}"


STEPS = (Assumption("steps <= 1/L", holds=short),)
FALLS = {"falls_told": True, "falls_used": True}
GAP = f0 - f_star
LOW = GAP * sp.Rational(25, 256)


def version(name, verdict, place, bound=GAP, relation="<="):
    return Version({"b": bound}, STEPS, (Check(name, place, verdict),), relation=relation)


LATE = run(3, tells=0.5, uses=0.5, falls_told=True)
VERSIONS = {
    "a": version("long", "INCONCLUSIVE", run(2, tells=0.9, uses=2.7)),
    "b": version("late", "INCONCLUSIVE", LATE, LOW, ">="),
    "c": version("honest-long", "HOLDS", run(2, tells=0.9, uses=0.9)),
    "d": version("honest-late", "HOLDS", run(3, tells=0.5, uses=0.5, **FALLS), LOW, ">="),
    "e": version("honest-false", "VIOLATED", run(3, tells=0.9, uses=0.9, **FALLS), LOW, ">="),
}
GAPS = Quantity("suboptimality", "last")
SOURCE = Source("hostile", "Lemma 15", "steps told and steps used")
STATEMENT = Statement("hostile.h15", SOURCE, GAPS, VERSIONS, "h15-teller")
