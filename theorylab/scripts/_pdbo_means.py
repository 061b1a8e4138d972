"""Means and variances of pdbo's estimators, by its own recursion."""

from __future__ import annotations

from theorylab.experiments import HgpUnbiased
from theorylab.hypergradients.recursion import FIXED
from theorylab.scripts._pdbo_place import (
    fitted,
    is_scalar,
    jacobian_lines,
    network_lines,
    point_lines,
    problem_lines,
    worth_of,
)
from theorylab.scripts.base import Facts, UnscriptedError, emitter
from theorylab.scripts.text import literal

MOST_JOINT = 2**14  # joint outcomes of all rounds: a second


@emitter("hgp-unbiased")
def unbiased(facts: Facts) -> list[str]:
    """The bias of an estimator, of one of its parts, or its variance."""
    found, column = facts.experiment, facts.column
    assert isinstance(found, HgpUnbiased)
    if column == "bias_B_a31":
        tail = _printed_B(found.at.sgp.variant)
    elif column == "variance" or (column == "bias" and found.together):
        tail = _listed(found, column)
    elif column == "bias":
        tail = (_power if found.rule.power else _bias)(found)
    elif column in ("bias_w", "bias_w_line157"):
        tail = _bias(found, found.terms - (column == "bias_w_line157"))
    else:
        raise UnscriptedError(f"no script is written for the column {column}")
    return fitted(
        [
            *_problem(found, column != "bias_B_a31"),
            *network_lines(found.at.network),
            *point_lines(found.at),
            *_seeds(tail, is_scalar(found.at)),
            *jacobian_lines(found.at),
            *tail,
        ]
    )


def _problem(found: HgpUnbiased, recursion: bool) -> list[str]:
    alpha, beta = _weights(found)
    weights = {} if (alpha, beta) == (1.0, 0.0) or not recursion else {"alpha": alpha, "beta": beta}
    return problem_lines(found.at, "bGtS" if recursion else "bG", **weights)


def _seeds(tail: list[str], scalar: bool) -> list[str]:
    """c^y and c^lambda, where the lines that follow have them."""
    whole = "\n".join(tail)
    made = []
    if " c" in whole:
        c = "(x - t + S * lam) / (n * omega)"
        flat = "((x - t + S @ lam) / (n * omega[:, None])).ravel()"
        made.append(f"c = {c if scalar else flat}  # the derivative of Fbar in z")
    if "c_lam" in whole:
        inner = "(S * x" if scalar else "(np.einsum('iak,ia->ik', S, x)"
        flat = "" if scalar else ".ravel()"
        made.append(f"c_lam = {inner} + reg * lam){flat} / n  # and in lambda")
    return made


def _zero(found: HgpUnbiased) -> str:
    """Of every client's hyperparameters."""
    return "0 * c" if is_scalar(found.at) else "0 * c_lam"


def _weights(found: HgpUnbiased) -> tuple[float, float]:
    return FIXED.get(found.reading, (found.alpha, found.beta))


def _passes(found: HgpUnbiased) -> int:
    return found.terms - bool(found.letter)


def _target(terms: int) -> list[str]:
    return [
        "A_bar, B_bar = hats(mean.T)",
        f"series = sum(np.linalg.matrix_power(A_bar, k) @ c for k in range({terms}))",
    ]


def _start(found: HgpUnbiased) -> str:
    v = "c_lam" if found.rule.v0 == "c" else _zero(found)
    return f"v, u, w = {v}, c, c"


def _loop(found: HgpUnbiased) -> list[str]:
    """One pass of the estimator, at the indentation of a loop's body."""
    if _weights(found) == (1.0, 0.0):
        return ["v, u = v + B @ u, A @ u"]
    mixed = "(A - own) @ u + own @ w" if found.rule.message == "u" else "A @ w"
    return [
        f"v, u, mixed = alpha * (v + B @ u) + (1 - alpha) * B @ w, A @ u, {mixed}",
        "w = beta * (mixed + c) + (1 - beta) * (w + u)",
    ]


def _bias(found: HgpUnbiased, of_w: int = 0) -> list[str]:
    """Rounds are independent and the noise has mean zero, so means follow mean matrices.

    of_w: how many terms w^(M-1) is compared with; 0: v.
    """
    worth, M = worth_of(found.rule.weights, found.at.network), _passes(found)
    own = ["own = hats(0 * mean)[0]  # psi's part of A"]
    lines = [
        f"A, B = hats(sum(p * {worth} for p, P, there in rounds))  # means of A-hat, B-hat",
        *(own if found.rule.message == "u" else []),
        _start(found),
        f"for _ in range({M - bool(of_w)}):",
        *(f"    {line}" for line in _loop(found)),
        *_target(of_w or found.terms),
    ]
    if of_w:
        return [*lines, "measured = np.abs(w - series).max()"]
    extra = " + c_lam" if found.rule.add else ""
    return [*lines, f"measured = np.abs(v{extra} - (B_bar @ series + c_lam)).max()"]


def _cases(found: HgpUnbiased) -> list[str]:
    """``cases``: chance, A-hat, B-hat of every edge pattern with every minibatch."""
    p, worth = found.at.problem, worth_of(found.rule.weights, found.at.network)
    if not p.stochastic:
        return [f"cases = [(p, *hats({worth})) for p, P, there in rounds]"]
    noise = literal(p.noise)
    return [
        f"folds = [1 + {noise} * np.array(s) for s in itertools.product((-1, 1), repeat=n)]",
        f"cases = [(p / 2**n, *hats({worth}, s)) for p, P, there in rounds for s in folds]",
    ]


def _power(found: HgpUnbiased) -> list[str]:
    """Eq. (9)'s index read literally: E (A-hat)^m is no power of E A-hat."""
    extra = " + c_lam" if found.rule.add else ""
    return [
        *_cases(found),
        "B = sum(p * B for p, _, B in cases)",
        "v = " + ("c_lam" if found.rule.v0 == "c" else _zero(found)),
        f"for m in range({_passes(found)}):  # Eq. (9): one round's A-hat, to the power m",
        "    v = v + B @ sum(p * np.linalg.matrix_power(A, m) @ c for p, A, _ in cases)",
        *_target(found.terms),
        f"measured = np.abs(v{extra} - (B_bar @ series + c_lam)).max()",
    ]


def _listed(found: HgpUnbiased, column: str) -> list[str]:
    """Over every sequence of rounds: B comes in one round and A in the next, or both in one."""
    M, joint = _passes(found), found.constants()["outcomes"].value
    if found.rule.power or found.rule.message == "u":
        raise UnscriptedError("the joint outcomes of this reading are not listed by a script")
    if joint > MOST_JOINT:
        raise UnscriptedError(f"{joint:.0f} joint outcomes are too many for a script")
    rounds = M if found.together else 2 * M - 1
    told = "A and B of one round" if found.together else "B, A, B, .. of rounds 0, 1, .."
    B, A = ("m", "m") if found.together else ("2 * m", f"(2 * m + 1) % {rounds}")
    extra = " + c_lam" if found.rule.add else ""
    ends = {
        "variance": ["measured = square - first @ first  # the trace of the covariance"],
        "bias": [
            *_target(found.terms),
            f"measured = np.abs(first{extra} - (B_bar @ series + c_lam)).max()",
        ],
    }
    square = column == "variance"
    return [
        *_cases(found),
        f"square, first = 0.0, {_zero(found)}" if square else f"first = {_zero(found)}",
        f"for drawn in itertools.product(cases, repeat={rounds}):  # {told}",
        f"    {_start(found)}",
        f"    for m in range({M}):" + ("" if found.together else "  # the last A is not used"),
        f"        B, A = drawn[{B}][2], drawn[{A}][1]",
        *(f"        {line}" for line in _loop(found)),
        "    p = math.prod(case[0] for case in drawn)",
        "    square, first = square + p * v @ v, first + p * v"
        if square
        else "    first = first + p * v",
        *ends[column],
    ]


def _printed_B(variant: str) -> list[str]:
    """A.3.1's first display: d_lambda phi_i stands where d_lambda psi_i belongs, too."""
    told = "# A.3.1's first display has d_lambda phi_i in both places;"
    target = "B_bar = hats(mean.T)[1]"
    if variant == "4b":
        rest = [f"{told} phi_i of (4b) does not read lambda", "printed = 0 * B_bar"]
    else:
        rest = [told, "printed = hats(mean.T + np.eye(n))[1]  # psi_i has none in (4a)"]
    return [target, *rest, "measured = np.abs(printed - B_bar).max()"]
