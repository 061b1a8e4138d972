"""The worst functions of an answer as a NumPy script: their data, the method's rows, the metric.

The text of the interpolant, of the conditions of the start and of the metric is the product's own;
the queries are the rows of the recursion, so that the script needs neither a step nor a network.
"""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

from theorylab.report.number import plain
from theorylab.worst import interpolation, replay
from theorylab.worst.check_certificate import METRICS
from theorylab.worst.random_gradients import Row

if TYPE_CHECKING:
    from theorylab.worst.worst import Worst

_HEAD = '''"""Functions of a class, and a run of {method} on them; needs NumPy alone.

n = {n} clients, T = {T} rounds, every f_i {functions}.
{conditions}. Measured: {metric}.
{against}

f_i is a function of the class for any data (see Interpolant). Exit code 0 where the conditions are
met and the run has the value that is told, 1 else.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np

'''
_TAIL = '''
DATA = json.loads("""{data}""")


def main() -> int:
    L, mu, x0 = DATA["L"], DATA["mu"], np.array(DATA["start"])
    functions = [
        Interpolant(*(np.array(f[k]) for k in ("points", "gradients", "values")), L, mu=mu)
        for f in DATA["functions"]
    ]
    gradients = []
    for client, row in DATA["queries"]:
        if client < 0:  # SAM's ascent along the gradient of that number
            g, ((_, rho),) = gradients[-1 - client], row
            gradients.append(rho * g / np.linalg.norm(g) if g.any() else g)
            continue
        x = x0 + sum((c * gradients[k] for k, c in row), 0 * x0)
        gradients.append(functions[client].at(x)[1])
    averages = [x0 + sum((c * gradients[k] for k, c in row), 0 * x0) for row in DATA["averages"]]
    at = [f.at for f in functions]
    lowest = float(np.mean([f.least for f in functions]))  # f* is not below it
    if mu >= 0:  # x* is the origin: the gradients there add up to 0
        lowest = float(np.mean([f.at(0 * x0)[0] for f in functions]))
    met = reached(DATA["conditions"], at, x0, lowest)
    value = measured(DATA["metric"], at, averages, lowest)
    for name, share in zip(DATA["conditions"], met):
        print(f"{{name}}: {{share:.12g}} of what is allowed")
    print(f"measured {{value:.12g}}, more than {{DATA['bound']:.12g}} is told")
    return 0 if max(met) <= 1 + 1e-9 and value > DATA["bound"] else 1


sys.exit(main())
'''


def script(answer: Worst) -> str:
    """The functions that ``answer.replay()`` ran on, with the run, as a NumPy script.

    It ends with 0 where the measured value exceeds the bound, or, without one, all but a millionth
    of the value.

    Raises ArithmeticError, one line, where there are no such functions.
    """
    question, played, recursion = answer.question, answer.replay(), answer.question.recursion
    kind = question.functions
    bound = (1 - 1e-6) * played.value if answer.bound is None else float(answer.bound)
    data = {
        "L": None if kind.L is None else float(kind.L),
        "mu": float(kind.mu),
        "metric": question.metric,
        "conditions": {name: float(most) for name, most in question.start.items()},
        "queries": [(i, _floats(row)) for i, row in recursion.queries],
        "averages": [_floats(row) for row in recursion.averages],
        "start": played.start.tolist(),
        "functions": [f.as_json() for f in played.problem.functions],
        "bound": bound,
    }
    conditions = ", ".join(f"{name} at most {most}" for name, most in question.start.items())
    against = f"The run has {plain(played.value, digits=9)}"
    if answer.bound is not None:
        against += f", and {answer.bound} was to be a bound"
    head = _HEAD.format(
        method=json.dumps(answer.method.name), n=recursion.clients, T=recursion.rounds,
        functions=kind.told(), conditions=f"Start: {conditions}",
        metric=METRICS[question.metric], against=f"{against}.",
    )  # fmt: skip
    return head + "\n\n".join(_sources()) + _TAIL.format(data=json.dumps(data))


def _floats(row: Row) -> list[tuple[int, float]]:
    return [(k, float(c)) for k, c in sorted(row.items())]


def _sources() -> list[str]:
    """What the script needs of this package, as its text."""
    parts: list[Any] = [interpolation._least_over_simplex, interpolation.Interpolant]
    parts += [replay.root_mean, replay.reached, replay.measured]
    sizes = (interpolation.MISS, interpolation._NEAR, interpolation._ROOM)
    numbers = f"MISS, _NEAR, _ROOM = {sizes}"
    return [numbers, *map(inspect.getsource, parts)]
