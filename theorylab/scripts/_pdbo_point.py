"""pdbo's Eq. (6): the stationary point, what is near it, and two solvers there."""

from __future__ import annotations

import re

from theorylab.experiments import AidProducts, PdboStationary, SgpApproach
from theorylab.scripts._pdbo_place import (
    fitted,
    is_scalar,
    jacobian_lines,
    network_lines,
    point_lines,
    problem_lines,
)
from theorylab.scripts.base import Facts, UnscriptedError, emitter
from theorylab.scripts.text import array, literal

MOST_NUMBERS = 6  # of A, a side: written out
MOST_PRODUCTS = 200_000


@emitter("pdbo-stationary")
def stationary(facts: Facts) -> list[str]:
    """Eq. (6)'s point beside the optimum of Eq. (1), beside another one, or where there is none."""
    found, column = facts.experiment, facts.column
    assert isinstance(found, PdboStationary)
    setting = found.setting
    data = [*problem_lines(setting, "bG"), *network_lines(setting.network)]
    if column == "distance":
        return fitted([*data, *point_lines(setting), *_optimum(is_scalar(setting))])
    if column in ("second_point", "second_y"):
        return fitted([*data, *_second(point_lines(setting), column)])
    if not is_scalar(setting):
        raise UnscriptedError(f"{column} of more than one number a client has no script")
    omega, system, solved = point_lines(setting)
    if column == "existence":
        push = solved[solved.index("(K, ") + 4 : solved.rindex(")  #")]
        lines = [f"push = {push}  # z = omega x is stationary where K x = push; K is singular"]
        least = "x = np.linalg.lstsq(K, push, rcond=1e-10)[0]"
        return fitted(
            [*data, omega, system, *lines, least, "measured = np.linalg.norm(K @ x - push)"]
        )
    if column == "radius_z":
        radius = "measured = np.abs(np.linalg.eigvals(hats(mean.T)[0])).max()  # of A_bar on z"
        return fitted([*data, omega, *jacobian_lines(setting), radius])
    raise UnscriptedError(f"no script is written for the column {column}")


def _optimum(scalar: bool) -> list[str]:
    if scalar:
        return [
            "best = (b + G * lam).sum() / H.sum()  # the optimum of Eq. (1)",
            "measured = np.abs(x - best).max()",
        ]
    return [
        "best = np.linalg.solve(H.sum(axis=0), (b + G @ lam).sum(axis=0))  # of Eq. (1)",
        "measured = np.linalg.norm(x - best, axis=1).max()",
    ]


def _second(point: list[str], column: str) -> list[str]:
    """The point with sum omega = 2n: x of half the step, as (I - E P) omega x = -step g(x)."""
    weights = "omega" if re.search(r"^x = .*reshape", point[-1]) is None else "omega[:, None]"
    omega, *lines = point
    ends = {
        "second_point": ["measured = np.abs(other - x).max()"],
        "second_y": [
            f"z, other_z = {weights} * x, 2 * {weights} * other",
            "measured = max(np.abs(other_z - z).max(), omega.max())  # omega and 2 omega",
        ],
    }
    return [
        omega,
        "def point(step):",
        *(f"    {line}" for line in lines),
        "    return x",
        "x, other = point(step), point(step / 2)  # weights 2 omega, sum 2n: as of half the step",
        *ends[column],
    ]


@emitter("sgp-approach")
def approach(facts: Facts) -> list[str]:
    """Mean squared distances of omega or z after T rounds, or in the limit, by second moments."""
    found, (what, _, when) = facts.experiment, facts.column.partition("_")
    assert isinstance(found, SgpApproach)
    setting = found.at
    if when == "mean" or not is_scalar(setting) or setting.problem.stochastic:
        raise UnscriptedError(f"no script is written for {facts.column} of this instance")
    network = network_lines(setting.network)
    if what == "omega":
        n = f"n = {setting.problem.clients}"
        omega = point_lines(setting)[0]
        moves = "moves = [(p, P, P @ omega - omega) for p, P, _ in rounds]  # e <- P e + kick"
        lines, start = [n, *network, omega, moves], "1 - omega"
    else:
        data = problem_lines(setting, "bG", start=float(found.start))
        lines = [*data, *network, *point_lines(setting), *_moves_of_z(setting.sgp.variant)]
        start = "start - x"
    if when == "limit":
        pin = " + np.outer(np.kron(omega, omega), np.ones(n * n)) / n**2" if what == "omega" else ""
        return fitted(
            [
                *lines,
                "L = sum(p * np.kron(J, J) for p, J, _ in moves)  # C = E[J C J'] + E[kick kick']",
                "Q = sum(p * np.kron(kick, kick) for p, _, kick in moves)",
                f"C = np.linalg.solve(np.eye(n * n) - L{pin}, Q)",
                "measured = np.trace(C.reshape(n, n))",
            ]
        )
    return fitted(
        [
            *lines,
            f"T = {facts.at('T')}",
            "last = np.eye(n + 1)[n:]  # of (e, 1)",
            "lift = [(p, np.vstack([np.column_stack([J, k]), last])) for p, J, k in moves]",
            "L = sum(p * np.kron(a, a) for p, a in lift)  # of E (e, 1)(e, 1)'",
            f"e = np.append({start}, 1)",
            "S = np.linalg.matrix_power(L, T) @ np.kron(e, e)",
            "measured = np.trace(S.reshape(n + 1, n + 1)) - 1",
        ]
    )


def _moves_of_z(variant: str) -> list[str]:
    """Rows of P sum to 1, so that omega stays 1 and z is x."""
    J = "P - step * np.diag(H)" if variant == "4b" else "P * (1 - step * H)"
    push = "step * (b + G * lam)" if variant == "4b" else "P @ (step * (b + G * lam))"
    return [
        f"moves = [(p, {J}, {push}) for p, P, _ in rounds]  # z <- J z + push",
        "moves = [(p, J, J @ x + push - x) for p, J, push in moves]  # e = z - z* <- J e + kick",
    ]


@emitter("aid-products")
def products(facts: Facts) -> list[str]:
    """How many products with A recurrent backpropagation takes; conjugate gradients' are counted
    in exact arithmetic, a constant of the bound."""
    found, column = facts.experiment, facts.column
    assert isinstance(found, AidProducts)
    if column not in ("rb", "rb_iterations"):
        raise UnscriptedError(f"no script is written for the column {column}")
    size = len(found.vector)
    if size > MOST_NUMBERS and not facts.long:
        raise UnscriptedError(f"A has {size}^2 entries, too many for a script")
    target = re.search(r"accuracy=([\d.e+-]+)", facts.result.place)
    if target is None or facts.result.measured is None:
        raise UnscriptedError("the place names no accuracy")
    if facts.result.measured > MOST_PRODUCTS:
        raise UnscriptedError("so many products take too long")
    return fitted(
        [
            f"A = {array(found.A)}",
            f"c = {array(found.vector)}",
            f"target = {literal(float(target[1]))}  # of ||c - (I - A) q|| / ||c||",
            "left, k = A @ c, 1  # q_1 = c is free and leaves A c",
            "while np.linalg.norm(left) > target * np.linalg.norm(c):",
            "    left, k = A @ left, k + 1  # q <- A q + c: one product",
            "measured = k - 1  # products" if column == "rb" else "measured = k  # iterations",
        ]
    )
