"""Findings of a stranger's file, each of which needs something else of a script; all are false."""

from dataclasses import dataclass, replace

import numpy as np
import sympy

from theorylab.algorithms import Algorithm, step_size
from theorylab.experiments import Experiment, Observation, Row
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, eta, symbol, t

P, H, problem, values = 0.5, {"half": 0.5}, (1, 2), [3.0]  # a script has names like these
small = symbol("small", "s", "a small number", units=(1, 0))


class Halved(Algorithm, name="findings.halved"):
    def __init__(self, eta=0.5):
        self.eta = eta

    def step(self, state, net):
        step = step_size(self, state.t)
        x = net.mix(state.x - step * P * net.gradient(state.x) * 2 * H["half"] * problem[1])
        return net.next(state, x=x * values[0] / 3)


@dataclass(frozen=True)
class Lazy(Algorithm, name="findings.lazy"):
    eta: float = 0.5

    def step(self, state, net):
        works = net.coins((), "bernoulli", p=0.25)[:, :, None]
        g = net.gradient(state.x, 1) + 0 * net.gradient(state.x, 1)
        x, w = net.mix(state.x - self.eta * works * g, state.w)
        return replace(net.next(state, x=x, w=w), memory={"own": x})


class Rows(Problem, name="findings.rows"):
    """Least squares on rows that the constructor makes."""

    def __init__(self, clients, *, seed=0, scale=1.0):
        draw = np.random.default_rng(seed)
        self.A, self.scale = draw.standard_normal((clients, 3, 2)), scale
        super().__init__(clients, 2)

    def loss(self, x):
        return self.scale * (np.einsum("imk,rik->rim", self.A, x) ** 2).sum(axis=2) / 2

    def gradient(self, x):
        off = np.einsum("imk,rik->rim", self.A, x)
        return self.scale * np.einsum("imk,rim->rik", self.A, off)

    def constants(self):
        top = float(np.linalg.norm(self.A, 2, axis=(1, 2)).max() ** 2) * self.scale * 1.0001
        known = {"f_star": Known(0.0, How.EXACT, "at 0"), "L": Known(top, How.UPPER, "largest")}
        return known


class Parts(Rows, name="findings.parts"):
    """The first coordinate is shared, the second one is a client's own."""

    def __init__(self, clients, *, seed=0):
        super().__init__(clients, seed=seed, scale=0.1)
        self.shared = 1


class Length(Metric, name="findings.length"):
    """What local steps do, beside a constant and the instance."""

    local, numbers = True, ("L",)

    def start(self, state):
        self.steps = 0

    def see(self, step):
        self.steps += 1
        self.size = (step.used**2).sum(axis=2)

    def rows(self, before, after):
        factor = self.known["L"].value * len(self.setting.start) * self.steps
        for i in range(self.size.shape[1]):
            name = f"'''t={before.t}\"\\', i={i}"
            yield Row(factor * self.size[:, i] * self.setting.problem.dim, {"t": before.t}, name)


class End(Metric, name="findings.end"):
    def rows(self, before, after):
        yield Row(self.setting.problem.mean_loss(before.z.mean(axis=1)), {"t": before.t})

    def last(self, state):
        yield Row(self.setting.problem.mean_loss(state.z.mean(axis=1)), {"t": state.t})


class Dice(Experiment, name="findings.dice"):
    columns = ("square",)

    def __init__(self, *, faces=6):
        self.faces = faces

    def describe(self):
        return {"faces": self.faces}

    def constants(self):
        return {}

    def observe(self, column, runs, seed):
        found = np.arange(1.0, self.faces + 1) ** 2
        chances = np.full(self.faces, 1 / self.faces)
        return Observation((Row(found, {}, "one throw", weights=chances),), exact=True)


BOWL = {"name": "quadratic", "H": [[[1.0]], [[2.0]]], "c": [[0.0], [1.0]]}
SIGNS = {"name": "noisy", "base": BOWL, "field": "rademacher", "sigma": 0.5}
NORMAL = {"name": "noisy", "base": {"name": "log-cosh", "dim": 1}, "sigma": 3.0}
HITS = {"name": "noisy", "base": {"name": "findings.rows"}, "field": "two-point", "chance": 0.25}
RUN = {"problem": BOWL, "topology": {"name": "ring"}, "clients": 2, "rounds": 4, "x0": 2.0}
RUN |= {"algorithm": {"eta": 0.25}, "constants": {"small": 1e-4}}
GAUSS = {**BOWL, "sigma": 0.5}


def statement(name, quantity, bound=small, method="findings.halved", relation="<=", **changes):
    check = Check("one", {**RUN, **changes}, "VIOLATED")
    version = Version({"b": sympy.sympify(bound)}, (), (check,), relation=relation)
    source = Source("findings", name, "a claim that is false")
    return Statement(f"findings.{name}", source, quantity, {"claim": version}, method)


def column(name, over="last", **more):
    return Quantity(name, over, **more)


EDGES = [[0, 1], [0, 2], [1, 0], [2, 0], [1, 2]]
PUSHED = {"topology": {"name": "edge-list", "edges": EDGES}, "clients": 3}
PUSHED |= {"x0": [[2.0, 1.0], [0.0, 1.0], [1.0, -3.0]]}
ROWS = {"name": "findings.rows", "scale": 0.1}
TRIED = {"name": "noisy", "base": ROWS, "field": "two-point", "chance": 0.25}
ONE = {"topology": {"name": "complete"}, "clients": 1}
PART = {"problem": {"name": "findings.rows", "seed": 3, "scale": 0.1}}
STATEMENTS = [
    statement("last", column("suboptimality")),
    statement("every", column("squared_distance", "every"), 2.0**-t / 1000),
    statement("mean", column("loss", "average", weights=(1 + T) ** t)),
    statement("iterate", column("squared_gradient", "average iterate")),
    statement("best", Quantity("own_loss", "best", (1, 0)), method="findings.lazy"),
    statement("lowest", column("loss", "run best"), method="findings.lazy", rounds=2),
    statement("consensus", column("consensus", "max"), x0=[[2.0], [-1.0]]),
    statement("coins", column("suboptimality", "average"), method="findings.lazy"),
    statement("signs", column("loss"), method="findings.lazy", problem=SIGNS, rounds=2),
    statement("worst", column("loss", pathwise=True), method="findings.lazy", rounds=2),
    statement("likely", column("loss", chance=0.2), method="findings.lazy", rounds=2),
    statement("points", column("squared_distance"), problem=GAUSS, rounds=20),
    statement("seeded", column("loss"), problem=NORMAL, **ONE),
    statement("hits", column("loss"), problem=HITS, rounds=2),
    statement("made", column("loss"), **PART),
    statement("schedule", column("loss"), algorithm={"eta": "1/(4 + sqrt(t))"}, rounds=3),
    statement("local", Quantity("findings.length", "rows", (2, -2))),
    statement("builtin", Quantity("findings.length", "rows", (2, -2)), method="osgp"),
    statement(
        "drift",
        Quantity("dfedsgpsm.step", "rows", (0, 2)),
        1e-9,
        "osgp",
        problem=TRIED,
        algorithm={"eta": 0.1, "local_steps": 2},
        rounds=2,
        **PUSHED,
    ),
    statement(
        "proof",
        Quantity("dfedsgpsm.r1", "rows", (2, -2)),
        1e-9,
        "dfedsgpsm",
        problem=ROWS,
        algorithm={"eta": 0.1, "alpha": 0.5, "rho": 0.1, "local_steps": 2},
        **PUSHED,
    ),
    statement(
        "heads",
        Quantity("dfedpgp.consensus", "rows", (0, 2)),
        1e-9,
        "dfedpgp",
        at=[3],
        algorithm={"eta_u": 0.1, "eta_v": 0.2, "steps_u": 2, "steps_v": 2},
        **PUSHED,
        problem={"name": "findings.parts"},
    ),
    statement(
        "picks", Quantity("dfedsgpsm.wait", "rows", (0, 0)), 1e-9, at=[2], **PUSHED, problem=ROWS
    ),
    statement("end", Quantity("findings.end", "last", (1, 0)), eta / 1000),
]
DIE = Check("die", {"faces": 6}, "VIOLATED")
STATEMENTS.append(
    Statement(
        "findings.die",
        Source("findings", "die", "a claim that is false"),
        Quantity("square", "rows", (0, 0)),
        {"claim": Version({"b": sympy.Integer(15)}, (), (DIE,))},
        experiment="findings.dice",
    )
)
