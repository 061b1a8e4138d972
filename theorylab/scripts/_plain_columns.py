"""Measured sides of dfedsgpsm, dfedsgpsm-s and SGP: metrics of a round, and averages."""

from __future__ import annotations

from theorylab.scripts._parts import repeated
from theorylab.scripts._plain import Steps
from theorylab.scripts.base import Facts, UnscriptedError, emitter
from theorylab.scripts.text import bare, grouped


def _sum_weights(steps: Steps) -> list[str]:
    """b_s = sum_{k >= s} alpha^{k-s}, of each local step."""
    if steps.count == 1:
        return ["b = [1.0]"]
    alpha = "alpha" if steps.alpha else "0.0"
    return [f"b = [sum({alpha}**j for j in range(K - s)) for s in range(K)]"]


def _consensus(steps: Steps, value: str) -> list[str]:
    over = "X / w" if steps.network.weights else "X"
    return [f"away = {over} - X.mean(-2, keepdims=True)", *steps.ends(value)]


@emitter("dfedsgpsm.consensus", "dfedsgpsm.consensus_mean", "dfedsgpsm.distance")
def of_consensus(facts: Facts) -> list[str]:
    """||z_i - xbar||^2 at the start of round t, its mean over the clients, or its root."""
    steps = Steps(facts, facts.at("t"))
    if facts.column.endswith("mean"):
        value = "(away**2).sum(-1).mean(-1)"
    else:
        i = facts.at("i")
        square = f"away[..., {i}, :]"
        value = f"({square} ** 2).sum(-1)"
        if facts.column.endswith("distance"):
            value = f"np.linalg.norm({square}, axis=-1)"
    return [*steps.head(), *steps.play(), *_consensus(steps, value)]


@emitter("dfedsgpsm.step", "dfedsgpsm.drift", "dfedsgpsm.update", "dfedsgpsm.no_direction")
def of_local_steps(facts: Facts) -> list[str]:
    """What the local steps of a round do."""
    steps = Steps(facts, facts.at("t") + 1)
    name = facts.column.partition(".")[2]
    if name == "update":
        value = f"((eta * sum(p * g for p, g in zip(b, used)))[..., {facts.at('i')}, :] ** 2)"
        play = [*steps.play(frozenset({"used"}), False), *_sum_weights(steps)]
        return [*steps.head(), *play, *steps.ends(f"{value}.sum(-1)")]
    k = facts.at("k")
    if name == "step":
        value = f"((Xs[{k + 1}] - Xs[{k}])[..., {facts.at('i')}, :] ** 2).sum(-1)"
    elif name == "drift":
        value = f"((Xs[{k}] - X0) ** 2).sum(-1).mean(-1)"
    else:
        value = f"(plain[{k}] == 0).all(-1).sum(-1)"
    keep = {"step": {"Xs"}, "drift": {"Xs", "old"}}.get(name, {"plain"})
    return [*steps.head(), *steps.play(frozenset(keep), False), *steps.ends(value)]


@emitter("dfedsgpsm.descent", "squared_gradient")
def of_gradient(facts: Facts) -> list[str]:
    """||grad f(xbar)||^2 at the start of a round, or its average over the rounds."""
    if facts.column == "squared_gradient":
        return _average(facts)
    steps = Steps(facts, facts.at("t"))
    steps.noise, steps.wheel = None, False  # what is measured comes before the round's noise
    bar = ["bar = X.mean(-2, keepdims=True)"]
    value = f"({steps.mean_gradient('bar')} ** 2).sum(-1)"
    return [*steps.head(), *steps.play(), *bar, *steps.ends(value)]


def _average(facts: Facts) -> list[str]:
    quantity, T = facts.quantity, facts.setting.rounds
    if quantity.over != "average" or quantity.weights is not None:
        raise UnscriptedError(f"no script is written for {facts.column}, {quantity.over}")
    steps = Steps(facts, T)
    if steps.random:
        raise UnscriptedError("runs with noise that are sampled or too many to list")
    one = [
        "bar = X.mean(-2, keepdims=True)",
        f"total += np.sum({steps.mean_gradient('bar')} ** 2)",
        *steps.round(frozenset()),
    ]
    play = repeated("T", one, "t")
    return [*steps.head("T"), "total = 0.0", *play, "measured = total / T"]


@emitter("dfedsgpsm.r1", "dfedsgpsm.smooth_f", "dfedsgpsm.smooth_fi", "dfedsgpsm.split_inner")
def of_proof(facts: Facts) -> list[str]:
    """Terms of the proof of Lemma 5: gradients at SAM's points against that at the average."""
    steps = Steps(facts, facts.at("t") + 1)
    name = facts.column.partition(".")[2]
    there = steps.losses.gradient("z")
    lines = ["bar = X0.mean(-2, keepdims=True)", *_sum_weights(steps)]
    here = steps.mean_gradient("bar")
    keep = {"old", "lifted"}
    if name == "r1":
        lines.append(f"G = sum(p * {grouped(there)} for p, z in zip(b, lifted)) / sum(b)")
        value = f"((G.mean(-2) - {here}) ** 2).sum(-1)"
    elif name.startswith("smooth"):
        lines.append(
            f"here = {steps.losses.gradient('bar')}"
            if name.endswith("fi")
            else f"here = {here}[..., None, :]"
        )
        gap = f"(({bare(there)} - here) ** 2).sum(-1).mean(-1)"
        value = f"sum(p * {gap} for p, z in zip(b, lifted)) / sum(b)"
    else:
        keep.add("used")
        lines.append(f"slope = {here}")
        lines.append("G = sum(p * g for p, g in zip(b, used)).mean(-2) / sum(b)")
        exact = f"sum(p * {grouped(there)} for p, z in zip(b, lifted)).mean(-2)"
        lines.append(f"A = {exact} / sum(b)")
        lines.append("left, right = np.mean((slope * G).sum(-1)), np.mean((slope * A).sum(-1))")
        play = steps.play(frozenset(keep), False)
        return [*steps.head(), *play, *lines, "measured = abs(left - right)"]
    return [*steps.head(), *steps.play(frozenset(keep), False), *lines, *steps.ends(value)]


@emitter("dfedsgpsm.wait")
def of_selection(facts: Facts) -> list[str]:
    """How often the client is picked that is picked least, by its loss at the first round."""
    if facts.at("t"):
        raise UnscriptedError("receivers are drawn in every round")
    steps = Steps(facts, 0)
    n = steps.problem.clients
    picks = min(int(facts.setting.algorithm.options()["neighbours"]), n - 1)
    lines = [
        *steps.head(),
        f"loss = {steps.losses.value('X')}",
        "gaps = np.abs(loss[:, None] - loss[None, :])",
        f"gaps[np.arange({n}), np.arange({n})] = -np.inf  # a client picks none but others",
        "log_p = gaps - np.logaddexp.reduce(gaps, axis=1, keepdims=True)",
        "measured = -np.logaddexp.reduce(log_p, axis=0).min()",
    ]
    if picks == 1:
        return lines
    return [
        *lines,
        f"most = np.zeros({n})  # of {picks} picks: once the heaviest others are gone, one by one",
        f"for i, j in np.argwhere(~np.eye({n}, dtype=bool)):",
        "    rivals = np.sort(np.delete(gaps[i], [i, j]))",
        f"    left = [np.append(rivals[:{n - 2} - l], gaps[i, j]) for l in range({picks})]",
        "    p = sum(np.exp(gaps[i, j] - np.logaddexp.reduce(each)) for each in left)",
        "    most[j] += min(p, 1)",
        "measured = (measured - np.log(most.min())) / 2  # the middle of what it may be",
    ]
