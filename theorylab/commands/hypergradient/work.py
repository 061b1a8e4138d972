"""``theorylab hypergradient``: how far HGP and VR-HGP are from the truth on a problem of one's own,
and what pdbo's Theorems 1 and 10 say of it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.commands.constants.slack import check_folder
from theorylab.commands.hypergradient import Hypergradient
from theorylab.commands.hypergradient.bound import bounds_at
from theorylab.commands.hypergradient.errors import Asked, Errors, Measured, measured
from theorylab.commands.hypergradient.view import FILES, content_of, print_errors, write
from theorylab.commands.options import json_text
from theorylab.commands.refusal import Refused, refusing, tell
from theorylab.commands.request import named_values, parted
from theorylab.hypergradients import SGP, Bilevel, Linear, Reliability, edge_law, exact
from theorylab.hypergradients.edge_law import network_of
from theorylab.report.curves import MOST
from theorylab.topologies import Topology, topology
from theorylab.user_file import load

Floats = NDArray[np.float64]
MANY = 2000  # numbers of terms in one range


def hypergradient(given: Hypergradient) -> int:
    """Measure, print, and write; the exit code. Raises Refused."""
    asked, out = asked_for(given), given.out
    options = named_values("hypergradient: --topology-option", given.topology_option)
    options |= parted("hypergradient: --set", given.settings, ("topology",))["topology"]
    network = None if given.topology is None else (given.topology, options)
    if out is not None:
        check_folder(out)
    with refusing("hypergradient"):
        _check(asked)
        problem, graph, lam = _brought(given.file, network)
        law, sgp = edge_law(graph), SGP(asked.step, asked.variant)
        truth = exact(problem, law, sgp, lam)
        at = Linear(problem, sgp, truth.point.x[None], truth.point.omega[None], lam[None])
        bounds, rows = bounds_at(at, graph, law), list[Measured]()
        known = Reliability(radius=truth.radius)
        for pair in asked.pairs:
            rows.append(measured(at, graph, law, truth.gradient, asked, bounds, pair, known))
            known = rows[-1].known
    content: dict[str, Any] = {"file": _named(given.file)}
    content |= content_of(problem, graph, asked, truth, bounds, rows)
    text = json_text(content)
    if out is not None:
        write(out, text, content, asked, rows)
    given.write_json(text)
    given.write_csv(Errors(asked.terms, rows))
    if given.speaks:
        print_errors(content, asked, rows)
        if out is not None:
            tell(f"{out}: {', '.join(FILES)}")
    return 0


def _check(asked: Asked) -> None:
    if not asked.terms or not 1 <= min(asked.terms) <= max(asked.terms) <= 10**6:
        raise ValueError(f"--terms is {list(asked.terms)}; need numbers in 1..10^6")
    if not 2 <= asked.runs <= 10**6:
        raise ValueError(f"--runs is {asked.runs}; need 2..10^6")
    if not 0 < asked.eps < 1:
        raise ValueError(f"--eps is {asked.eps}; need 0 < eps < 1")
    if not 1 <= len(asked.pairs) <= MOST // 2:
        raise ValueError(f"--weights came {len(asked.pairs)} times; need 1..{MOST // 2}")
    for alpha, beta in asked.pairs:
        if not (0 <= alpha <= 1 and 0 <= beta <= 1):
            raise ValueError(f"--weights is {alpha},{beta}; need both in 0..1")


def _brought(
    file: Path, network: tuple[str, Mapping[str, Any]] | None
) -> tuple[Bilevel, Topology, Floats]:
    """problem, topology and lam of a user's file; ``network`` goes before its topology."""
    if not file.is_file():
        raise ValueError(f"{file}: no such file; need a FILE.py with a Bilevel named problem")
    made = load(file)
    problem = getattr(made, "problem", None)
    if not isinstance(problem, Bilevel):
        kind = type(problem).__name__
        raise ValueError(f"{file}: problem is a {kind}; need a Bilevel, such as TorchBilevel")
    if network is not None:
        graph = topology(network[0], problem.clients, **network[1])
    elif hasattr(made, "topology"):
        graph = network_of(str(file), made.topology)
    else:
        raise ValueError(f"{file}: there is no topology; need one in the file, or --topology")
    if graph.clients != problem.clients:
        raise ValueError(f"topology has {graph.clients} clients, problem {problem.clients}")
    lam = np.array(getattr(made, "lam", np.zeros((problem.clients, problem.hyper))), np.float64)
    if lam.shape != (problem.clients, problem.hyper) or not np.isfinite(lam).all():
        raise ValueError(
            f"{file}: lam has shape {lam.shape}; need finite ({problem.clients},{problem.hyper})"
        )
    return problem, graph, lam


def _named(file: Path) -> dict[str, str]:
    """The code that ran: its name and the SHA-256 of its text."""
    return {"name": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}


def _span(part: str) -> range:
    """M, or all from the first of two to the second; too many are refused unlisted."""
    first, _, last = part.partition(":")
    made = range(int(first), int(last or first) + 1)
    if not 1 <= len(made) <= MANY:
        raise Refused(
            f"hypergradient: --terms {part} is {len(made)} numbers of terms; need 1..{MANY}"
        )
    return made


def asked_for(given: Hypergradient) -> Asked:
    """What is measured, from the texts of the command line. Raises Refused."""
    terms, weights = given.terms, [*given.weights] or ["1,0", ".9,.1"]
    try:
        places = sorted({m for part in terms.split(",") for m in _span(part)})
        pairs = [tuple(float(x) for x in text.split(",")) for text in weights]
    except ValueError:
        raise Refused(
            f"hypergradient: --terms is {terms!r}, --weights {weights}; need whole numbers, "
            "such as 10,50,200 or 1:50, and pairs, such as .9,.1"
        ) from None
    if any(len(pair) != 2 or not all(map(math.isfinite, pair)) for pair in pairs):
        raise Refused(f"hypergradient: --weights is {weights}; need pairs, such as .9,.1")
    return Asked(
        terms=places,
        pairs=[(a, b) for a, b in pairs],
        step=given.step,
        variant=given.variant,
        runs=given.runs,
        seed=given.seed,
        eps=given.eps,
    )
