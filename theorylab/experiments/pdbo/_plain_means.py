"""The lines about means, variances, errors and sums of pdbo's estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._plain_place import is_scalar, of_network, of_place, worth_of
from theorylab.hypergradients.recursion import FIXED

if TYPE_CHECKING:
    from theorylab.experiments.pdbo.blocks import HgpBlocks
    from theorylab.experiments.pdbo.error import HgpError
    from theorylab.experiments.pdbo.unbiased import HgpUnbiased

MOST_JOINT = 2**14  # joint outcomes of all rounds: a second
_TARGET = """
A_bar, B_bar = hats(mean.T)
series = sum(np.linalg.matrix_power(A_bar, k) @ c for k in range({terms}))
"""

_ERRORS = {
    "bias_law": "np.linalg.norm(v - truth)",
    "bias_of_sum": "np.linalg.norm(v - series)",
    "error": "np.linalg.norm(v - truth)  # both without c^lambda",
    "bare_error": "np.linalg.norm(v - (truth + c_lam))  # v has no c^lambda",
}
_JOINED = """def joined(worth, phi, psi, rows):  # A-hat, or of the Jacobians in lambda B-hat
    sent = np.einsum('ij,iab->iajb', worth, phi)
    return (sent + np.einsum('ij,iab->iajb', np.eye(n), psi)).reshape(rows, n * d)"""
_MEANS = "A, B = joined(mean.T, phi_y, psi_y, n * d), joined(mean.T, phi_lam, psi_lam, n * h)"
_TRUTH = "truth = B @ np.linalg.solve(np.eye(n * d) - A, c)"
_SERIES = "series = B @ sum(np.linalg.matrix_power(A, k) @ c for k in range(M))"
_LISTED = """
v_of = [joined({worth}, phi_lam, psi_lam, n * h) @ c for _, P, there in rounds]
measured = max({error} for v in v_of)  # each is likelier than what is left out
"""
_LOOP = """
v, u = np.zeros(n * h), c
for _ in range(M):  # rounds are independent, so that means follow mean matrices
    v, u = v + B @ u, A @ u
"""
_WEIGHED = """
v, u, w = np.zeros(n * h), c, c
for _ in range(M):  # rounds are independent, so that means follow mean matrices
    v, u, mixed = alpha * (v + B @ u) + (1 - alpha) * B @ w, A @ u, A @ w
    w = beta * (mixed + c) + (1 - beta) * (w + u)
"""
_SUMMED = """
signs = np.ones(population)
signs[-1] = -1.0  # d h and d g of the last sample have the other sign
maps = size * signs[:, None, None] * np.eye(rows, columns)  # norm eta / (2 kappa)
away = (maps - maps.mean(axis=0)) / batch
parts = [[(mean[s, t] + (s == t)) * away for s in range(n)] for t in range(n)]
squares = [np.linalg.norm(p, 2, axis=(2, 3)) ** 2 for p in parts]  # s, xi of every t
measured = max(each.sum(axis=0).max() for each in squares)
"""


def of_mean(found: HgpUnbiased, column: str) -> Plain:
    """The bias of an estimator, of one of its parts, or its variance."""
    if column == "bias_B_a31":
        text = _printed_B(found.at.sgp.variant)
    elif column == "variance" or (column == "bias" and found.together):
        text = _listed(found, column)
    elif column == "bias":
        text = (_power if found.rule.power else _bias)(found)
    elif column in ("bias_w", "bias_w_line157"):
        text = _bias(found, found.terms - (column == "bias_w_line157"))
    else:
        raise UnwrittenError(f"no script is written for the column {column}")
    alpha, beta = _weights(found)
    noise = found.at.problem.noise
    return of_place(found.at).of(text, alpha=alpha, beta=beta, noise=noise)


def _zero(found: HgpUnbiased) -> str:
    """Of every client's hyperparameters."""
    return "0 * c" if is_scalar(found.at) else "0 * c_lam"


def _weights(found: HgpUnbiased) -> tuple[float, float]:
    return FIXED.get(found.reading, (found.alpha, found.beta))


def _passes(found: HgpUnbiased) -> int:
    return found.terms - bool(found.letter)


def _from(found: HgpUnbiased) -> str:
    return "c_lam" if found.rule.v0 == "c" else _zero(found)


def _apart(found: HgpUnbiased, v: str) -> str:
    """The estimate's mean less what it should be."""
    extra = " + c_lam" if found.rule.add else ""
    target = _TARGET.format(terms=found.terms)
    return f"{target}measured = np.abs({v}{extra} - (B_bar @ series + c_lam)).max()"


def _loop(found: HgpUnbiased, indent: str) -> str:
    """One pass of the estimator, as a loop's body."""
    lines = ["v, u = v + B @ u, A @ u"]
    if _weights(found) != (1.0, 0.0):
        mixed = "(A - own) @ u + own @ w" if found.rule.message == "u" else "A @ w"
        lines = [
            f"v, u, mixed = alpha * (v + B @ u) + (1 - alpha) * B @ w, A @ u, {mixed}",
            "w = beta * (mixed + c) + (1 - beta) * (w + u)",
        ]
    return "\n".join(indent + line for line in lines)


def _bias(found: HgpUnbiased, of_w: int = 0) -> str:
    """Rounds are independent and the noise has mean zero, so means follow mean matrices.

    of_w: how many terms w^(M-1) is compared with; 0: v.
    """
    worth = worth_of(found.rule.weights, found.at.network)
    own = "own = hats(0 * mean)[0]  # psi's part of A" if found.rule.message == "u" else ""
    text = f"""
A, B = hats(sum(p * {worth} for p, P, there in rounds))  # means of A-hat, B-hat
{own}
v, u, w = {_from(found)}, c, c
for _ in range({_passes(found) - bool(of_w)}):
{_loop(found, "    ")}
"""
    if of_w:
        return text + _TARGET.format(terms=of_w) + "measured = np.abs(w - series).max()"
    return text + _apart(found, "v")


def _cases(found: HgpUnbiased) -> str:
    """``cases``: chance, A-hat, B-hat of every edge pattern with every minibatch."""
    worth = worth_of(found.rule.weights, found.at.network)
    if not found.at.problem.stochastic:
        return f"cases = [(p, *hats({worth})) for p, P, there in rounds]"
    return f"""
folds = [1 + noise * np.array(s) for s in itertools.product((-1, 1), repeat=n)]
cases = [(p / 2**n, *hats({worth}, s)) for p, P, there in rounds for s in folds]
"""


def _power(found: HgpUnbiased) -> str:
    """Eq. (9)'s index read literally: E (A-hat)^m is no power of E A-hat."""
    return f"""{_cases(found)}
B = sum(p * B for p, _, B in cases)
v = {_from(found)}
for m in range({_passes(found)}):  # Eq. (9): one round's A-hat, to the power m
    v = v + B @ sum(p * np.linalg.matrix_power(A, m) @ c for p, A, _ in cases)
{_apart(found, "v")}"""


def _listed(found: HgpUnbiased, column: str) -> str:
    """Over every sequence of rounds: B comes in one round and A in the next, or both in one."""
    M, joint = _passes(found), found.constants()["outcomes"].value
    if found.rule.power or found.rule.message == "u":
        raise UnwrittenError("the joint outcomes of this reading are not listed by a script")
    if joint > MOST_JOINT:
        raise UnwrittenError(f"{joint:.0f} joint outcomes are too many for a script")
    rounds, B, A = 2 * M - 1, "2 * m", f"(2 * m + 1) % {2 * M - 1}"
    told, last = "B, A, B, .. of rounds 0, 1, ..", "  # the last A is not used"
    if found.together:
        rounds, B, A, told, last = M, "m", "m", "A and B of one round", ""
    more, end = "first = first + p * v", _apart(found, "first")
    square = column == "variance"
    if square:
        more = "square, first = square + p * v @ v, first + p * v"
        end = "measured = square - first @ first  # the trace of the covariance"
    return f"""{_cases(found)}
{"square, first = 0.0," if square else "first ="} {_zero(found)}
for drawn in itertools.product(cases, repeat={rounds}):  # {told}
    v, u, w = {_from(found)}, c, c
    for m in range({M}):{last}
        B, A = drawn[{B}][2], drawn[{A}][1]
{_loop(found, "        ")}
    p = math.prod(case[0] for case in drawn)
    {more}
{end}"""


def _printed_B(variant: str) -> str:
    """A.3.1's first display: d_lambda phi_i stands where d_lambda psi_i belongs, too."""
    told = "# A.3.1's first display has d_lambda phi_i in both places;"
    if variant == "4b":
        rest = f"{told} phi_i of (4b) does not read lambda\nprinted = 0 * B_bar"
    else:
        rest = f"{told}\nprinted = hats(mean.T + np.eye(n))[1]  # psi_i has none in (4a)"
    return f"B_bar = hats(mean.T)[1]\n{rest}\nmeasured = np.abs(printed - B_bar).max()"


def of_error(found: HgpError, spot: Spot) -> Plain:
    """Errors of means, or of the only outcome: what follows from the mean matrices."""
    local, column = found.local, spot.column
    weighed = (found.alpha, found.beta) != (1.0, 0.0)
    whole = local.phi_y.shape[1] == 1
    one = whole and found.topology.period == 1
    listed = whole and not one and _is_largest(found, spot)
    if column not in _ERRORS or not (one or listed or column.startswith("bias")):
        what = f"the law of the column {column}"
        raise UnwrittenError(f"{what} has no script where rounds are drawn")
    (n, d), h = local.c_y.shape, local.c_lam.shape[1]
    phi_y, psi_y, phi_lam, psi_lam = (part.mean(axis=1) for part in local.parts)
    numbers: dict[str, Any] = {"n": n, "d": d, "h": h, "M": spot.at("M")}
    numbers |= {"alpha": found.alpha, "beta": found.beta} if weighed else {}
    numbers |= {
        "phi_y, psi_y": np.stack([phi_y, psi_y]),
        "phi_lam, psi_lam": np.stack([phi_lam, psi_lam]),
        "c": local.c_y.ravel(), "c_lam": local.c_lam.ravel(),
    }  # fmt: skip
    plain = Plain().of("", _JOINED, _MEANS, _TRUTH, _SERIES, **numbers)
    if listed:
        worth = worth_of("debiased", found.topology)
        error = _ERRORS[column].partition("  #")[0]
        return of_network(found.topology) | plain.of(_LISTED.format(worth=worth, error=error))
    text = (_WEIGHED if weighed else _LOOP) + f"measured = {_ERRORS[column]}"
    told = {"mean": "E P"}
    return Plain(told=told).of("", mean=found.edges.mean) | plain.of(text)


def _is_largest(found: HgpError, spot: Spot) -> bool:
    """Whether the quantile of HGP after one round is the largest of all patterns of edges: even
    the least likely one is likelier than what the claim leaves out."""
    once = spot.at("M") == 1 and (found.alpha, found.beta) == (1.0, 0.0)
    listed = spot.quantity.chance is not None and once and found.law == "exact"
    of_one = listed and spot.column in ("error", "bare_error")
    return of_one and float(found.listed[0].min()) > found.eps_chance


def of_sum(found: HgpBlocks, column: str) -> Plain:
    """Line 708's sum over s, where every Jacobian is a multiple of the identity's pattern."""
    of_B = column == "summed_B"
    sent, own = found.maps.parts[2 * of_B : 2 * of_B + 2]
    aligned = found.family == "aligned" and np.array_equal(sent, own)
    if not column.startswith("summed") or not aligned:
        raise UnwrittenError(f"no script is written for {column} of {found.family} maps")
    numbers = {"n": found.clients, "population": found.population, "batch": found.batch}
    numbers |= dict(zip(("rows", "columns"), sent.shape[2:], strict=True))
    plain = Plain(told={"mean": "E P"})
    return plain.of(_SUMMED, **numbers, size=float(sent[0, 0, 0, 0]), mean=found.edges.mean)
