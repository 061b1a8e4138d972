"""pdbo's error terms: at y^(T) instead of y*, truncated series, and what edges' counts tell."""

from __future__ import annotations

import re

import numpy as np

from theorylab.experiments import (
    EdgeEstimates,
    HgpBias,
    HgpCross,
    HgpError,
    HgpSecondMoment,
    HgpSeries,
)
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
from theorylab.scripts.text import array, literal

MOST_COUNTED = 1000  # rounds: their binomial numbers fit into a float64
MOST_TERMS = 10**6


def _named(**numbers: float) -> str:
    """One assignment of numbers to names."""
    return f"{', '.join(numbers)} = {', '.join(map(literal, numbers.values()))}"


@emitter("hgp-bias", "hgp-cross")
def other_point(facts: Facts) -> list[str]:
    """Scalar maps at y^(T) beside those at y* = 0: the estimate's limits, or one round's A, B."""
    found, column = facts.experiment, facts.column
    assert isinstance(found, HgpBias)
    cross = isinstance(found, HgpCross)
    of_B, mean = "cross" in column, column == "limit_error" or column.startswith("mean")
    if column == "error":
        raise UnscriptedError("no script is written for the column error")
    numbers = {"n": found.clients, "kappa": found.kappa.value, "gap": found.gap}
    in_y = {"eta_A": found.eta_A, "level": found.level, "slope": found.slope}
    in_lam = {"eta_B": found.eta_B}
    if isinstance(found, HgpCross):
        in_lam |= {"cross_level": found.cross_level, "cross_slope": found.cross_slope}
    sent = "np.clip(level + slope * y, -1, 1)"
    crossed = "np.clip(cross_level + cross_slope * y, -1, 1)" if cross else "1.0"
    phi = ["def d_y(y):  # of phi_i and of psi_i", f"    return eta_A / (2 * kappa) * {sent}"]
    phi_lam = [
        "def d_lambda(y):  # of phi_i and of psi_i",
        f"    return eta_B / (2 * kappa) * {crossed}",
    ]
    if column == "limit_error":
        if found.topology.period != 1:
            raise UnscriptedError("edges are drawn, and the estimate has no limit")
        curved = {"curvature": found.curvature} if found.follow else {}
        outer = "np.full(n, (1 + curvature * y) / n)" if found.follow else "np.full(n, 1 / n)"
        return fitted(
            [
                _named(**numbers, **in_y),
                _named(**in_lam, **curved),
                f"mean = {array(found.edges.mean)}  # E P",
                *phi,
                *phi_lam,
                "def limit(y):  # B (I - A)^{-1} c, where every y_i is y",
                f"    w, c = mean.T + np.eye(n), {outer}",
                "    return d_lambda(y) * w @ np.linalg.solve(np.eye(n) - d_y(y) * w, c)",
                "measured = np.linalg.norm(limit(gap) - limit(0.0))",
            ]
        )
    if column not in ("jacobian_gap", "mean_gap", "mean_cross_gap", "cross_gap"):
        raise UnscriptedError(f"no script is written for the column {column}")
    own, options = (phi_lam, in_lam) if of_B else (phi, in_y)
    d = "d_lambda" if of_B else "d_y"
    if mean:
        network, worths = [f"mean = {array(found.edges.mean)}  # E P"], "[mean.T]"
    else:
        network = network_lines(found.topology)
        worths = f"[{worth_of('debiased', found.topology)} for _, P, there in rounds]"
    return fitted(
        [
            _named(**numbers, **options),
            *network,
            *own,
            f"gaps = [({d}(gap) - {d}(0.0)) * (w + np.eye(n)) for w in {worths}]",
            "measured = max(np.linalg.norm(each, 2) for each in gaps)",
        ]
    )


@emitter("hgp-series")
def series(facts: Facts) -> list[str]:
    """Line 885's sum, term by term."""
    found = facts.experiment
    assert isinstance(found, HgpSeries)
    if facts.column != "bias_sum":
        raise UnscriptedError(f"no script is written for the column {facts.column}")
    etas = [eta for eta in found.eta if f"eta_A={eta:g}" == facts.result.place]
    if len(etas) != 1 or found.last > MOST_TERMS:
        raise UnscriptedError("the place names no eta_A, or the sum is long")
    return [
        _named(alpha=found.alpha, beta=found.beta, eta=etas[0], last=found.last),
        "g, slow, power, measured = 1 - beta + beta * eta, 0.0, 1.0, 0.0",
        "for _ in range(last):",
        "    slow, power = alpha * slow + power, power * g  # (alpha^k - g^k) / (alpha - g), g^k",
        "    measured += (1 - alpha) * beta * slow",
    ]


@emitter("edge-estimates")
def estimates(facts: Facts) -> list[str]:
    """The mean ratio of Algorithm 2's two counts of one edge, or an edge's largest swing."""
    found, column = facts.experiment, facts.column
    assert isinstance(found, EdgeEstimates)
    place = re.fullmatch(r"T=(\d+), (\d+) to (\d+)", facts.result.place)
    if place is None:
        raise UnscriptedError("the place names no edge")
    T, j, i = map(int, place.groups())
    if column == "swing":
        d = float(found.law.frequency[i, j])
        return [
            f"d = {literal(d)}  # the chance of the edge {j} -> {i}",
            "measured = max((delta / d - 1) ** 2 for delta in (0, 1))",
        ]
    if column != "ratio" or T > MOST_COUNTED:
        raise UnscriptedError(f"no script is written for {column} of {T} rounds")
    return fitted(
        [
            f"n, i, j, T = {found.clients}, {i}, {j}, {T}",
            *network_lines(found.topology),
            "d, pbar = often[i, j], mean[j, i]",
            "heard = sum(p * P[j, i] * e[i, j] for p, P, e in rounds)  # i hears j",
            "deaf = sum(p * P[j, i] * (1 - e[i, j]) for p, P, e in rounds)",
            "chance = [math.comb(T - 1, k) * d**k * (1 - d) ** (T - 1 - k) for k in range(T)]",
            "first = sum(q / (1 + k) for k, q in enumerate(chance))  # k other rounds",
            "second = sum(q / k for k, q in enumerate(chance) if k)",
            "mean_ratio = T * (heard * first + deaf * second)  # E[p-hat / d-hat; d-hat > 0]",
            "measured = abs(mean_ratio * d / pbar - 1)",
        ]
    )


@emitter("hgp-error")
def error(facts: Facts) -> list[str]:
    """Errors of means, or of the only outcome: what follows from the mean matrices."""
    found, column = facts.experiment, facts.column
    assert isinstance(found, HgpError)
    local, whole = found.local, found.local.phi_y.shape[1] == 1
    one = whole and found.topology.period == 1
    alpha, beta = found.alpha, found.beta
    listed = whole and not one and column in ("error", "bare_error") and _largest(facts)
    ends = {
        "bias_law": "measured = np.linalg.norm(v - truth)",
        "bias_of_sum": "measured = np.linalg.norm(v - series)",
        "error": "measured = np.linalg.norm(v - truth)  # both without c^lambda",
        "bare_error": "measured = np.linalg.norm(v - (truth + c_lam))  # v has no c^lambda",
    }
    if column not in ends or not (one or listed or column.startswith("bias")):
        raise UnscriptedError(
            f"the law of the column {column} has no script where rounds are drawn"
        )
    in_y, in_lam = (np.stack([p.mean(axis=1) for p in local.parts[k : k + 2]]) for k in (0, 2))
    n, d, h = (*local.c_y.shape, local.c_lam.shape[1])
    loop = ["    v, u = v + B @ u, A @ u"]
    if (alpha, beta) != (1.0, 0.0):
        loop = [
            "    v, u, mixed = alpha * (v + B @ u) + (1 - alpha) * B @ w, A @ u, A @ w",
            "    w = beta * (mixed + c) + (1 - beta) * (w + u)",
        ]
    weights = {} if len(loop) == 1 else {"alpha": alpha, "beta": beta}
    truth = "truth = B @ np.linalg.solve(np.eye(n * d) - A, c)"
    head = [
        _named(n=n, d=d, h=h, M=facts.at("M"), **weights),
        *(
            network_lines(found.topology)
            if listed
            else [f"mean = {array(found.edges.mean)}  # E P"]
        ),
        f"phi_y, psi_y = {array(in_y)}",
        f"phi_lam, psi_lam = {array(in_lam)}",
        f"c = {array(local.c_y.ravel())}",
        *([f"c_lam = {array(local.c_lam.ravel())}"] if column == "bare_error" else []),
        "def joined(worth, phi, psi, rows):  # A-hat, or of the Jacobians in lambda B-hat",
        "    sent = np.einsum('ij,iab->iajb', worth, phi)",
        "    return (sent + np.einsum('ij,iab->iajb', np.eye(n), psi)).reshape(rows, n * d)",
        "A, B = joined(mean.T, phi_y, psi_y, n * d), joined(mean.T, phi_lam, psi_lam, n * h)",
    ]
    if listed:
        worth = worth_of("debiased", found.topology)
        end = ends[column].partition(" = ")[2].partition("  #")[0]
        return fitted(
            [
                *head,
                truth,
                f"v_of = [joined({worth}, phi_lam, psi_lam, n * h) @ c for _, P, there in rounds]",
                f"measured = max({end} for v in v_of)  # each is likelier than what is left out",
            ]
        )
    return fitted(
        [
            *head,
            f"v, u{', w' if weights else ''} = np.zeros(n * h), c{', c' if weights else ''}",
            "for _ in range(M):  # rounds are independent, so that means follow mean matrices",
            *loop,
            "series = B @ sum(np.linalg.matrix_power(A, k) @ c for k in range(M))"
            if column == "bias_of_sum"
            else truth,
            ends[column],
        ]
    )


def _largest(facts: Facts) -> bool:
    """Whether the quantile of HGP after one round is the largest of all patterns of edges: even
    the least likely one is likelier than what the claim leaves out."""
    found = facts.experiment
    assert isinstance(found, HgpError)
    plainly = facts.at("M") == 1 and (found.alpha, found.beta) == (1.0, 0.0)
    listed = facts.quantity.chance is not None and plainly and found.law == "exact"
    return listed and float(found.listed[0].min()) > found.eps_chance


@emitter("hgp-second-moment")
def second_moment(facts: Facts) -> list[str]:
    """The root mean square error of VR-HGP after m terms over that after an early one."""
    found, column = facts.experiment, facts.column
    assert isinstance(found, HgpSecondMoment)
    if column != "later" or not is_scalar(found.at) or found.at.problem.stochastic:
        raise UnscriptedError(f"no script is written for {column} of this instance")
    worth = worth_of("debiased", found.at.network)
    return fitted(
        [
            *problem_lines(found.at, "bGtS", alpha=found.alpha, beta=found.beta),
            *network_lines(found.at.network),
            *point_lines(found.at),
            "c = (x - t + S * lam) / (n * omega)  # the derivative of Fbar in z",
            *jacobian_lines(found.at),
            "O, I, unit = np.zeros((n, n)), np.eye(n), np.eye(3 * n + 1)",
            "heads = tails = 0  # E T kron T of a B and of an A: (v, u, w, 1) <- T (v, u, w, 1)",
            "for p, P, there in rounds:",
            f"    A, B = hats({worth})",
            "    v = np.hstack([alpha * I, alpha * B, (1 - alpha) * B, O[:, :1]])",
            "    w = np.hstack([O, (1 - beta) * A, beta * A + (1 - beta) * I, beta * c[:, None]])",
            "    T, u = np.vstack([v, unit[n:]]), A @ unit[n : 2 * n]",
            "    onward = np.vstack([unit[:n], u, w, unit[-1:]])",
            "    heads, tails = heads + p * np.kron(T, T), tails + p * np.kron(onward, onward)",
            "A, B = hats(mean.T)",
            "error = np.hstack([I, O, O, -(B @ np.linalg.solve(I - A, c))[:, None]])  # v - truth",
            "def rmse(m):",
            "    s = np.r_[0 * c, c, c, 1]",
            "    s = heads @ np.linalg.matrix_power(tails @ heads, m - 1) @ np.kron(s, s)",
            "    return np.sqrt(np.trace(error @ s.reshape(3 * n + 1, -1) @ error.T))",
            f"measured = rmse({facts.at('m')}) / rmse({found.early})",
        ]
    )
