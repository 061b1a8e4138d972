"""SHA-256 of what every kernel of theorylab._core makes of fixed inputs, a line each.

    python verify/bits.py [--core DIR]

Two builds agree to the bit exactly where they print the same: .ci/run compares g++ and clang so.
Every instruction set of this machine is tried; one that differs from the first ends with exit 1.

--core DIR  use the theorylab/_core of that folder
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from fuzz import load_core

Array = np.ndarray[Any, Any]
RUNS, CLIENTS, ROWS = 2, 6, 300
SIZES = (1, 10, 37, 130)  # coordinates: within a vector register, and across several


def drawn() -> Iterator[tuple[str, list[Array]]]:
    from theorylab.kernels import Stream, random_edges

    stream = Stream(7, "noise")
    yield "uniform", [stream.uniform(3, CLIENTS, 5, count=97)]
    yield "normal", [stream.normal(3, CLIENTS, 5, count=2001)]
    yield "integers", [stream.integers(10**9 + 7, 3, CLIENTS, 5, count=97)]
    yield "random_edges", [random_edges(3, 2, 4, 50, 7)]


def sized() -> Iterator[tuple[str, list[Array]]]:
    from theorylab.kernels import Mixing, random_mixing
    from theorylab.kernels._lag_sums import first_lag, lag_sums
    from theorylab.kernels._matrix_norms import largest_norms

    for n in SIZES[:3]:
        M = np.random.default_rng(n).standard_normal((9, n, n))
        yield f"matrix_norms n={n}", [np.array(largest_norms(M))]
    for n in (5, 40):
        E, w = first_lag(np.linspace(0.5, 1.5, n)), np.linspace(1.5, 0.5, n)
        told = lag_sums(Mixing(random_mixing(1, 2, 1, n, 3)[0]), E, w, w, 0.5)
        parts = (told.weights, told.rows, told.squares, told.columns, np.array(told.top))
        yield f"lag_sums n={n}", [E, *(part for part in parts if part is not None)]


def mixed(rng: np.random.Generator, dtype: Any) -> Iterator[tuple[str, list[Array]]]:
    from theorylab.kernels import push_mix, random_mixing

    P = random_mixing(3, 2, RUNS, 40, 7)
    for d in (*SIZES, 3000):
        x = rng.standard_normal((RUNS, 40, d)).astype(dtype)
        w = (rng.random((RUNS, 40)) + 0.5).astype(dtype)
        yield f"push_mix d={d}", [*push_mix(P, x, w), *push_mix(P[0], x, w)]


def curved(rng: np.random.Generator, dtype: Any) -> Iterator[tuple[str, list[Array]]]:
    from theorylab.kernels import glm_hvp, mix_jvp, softmax_hvp

    def some(*shape: int) -> Array:
        return rng.standard_normal(shape).astype(dtype)

    for d in SIZES:
        A, h, V = some(CLIENTS, ROWS, d), some(RUNS, CLIENTS, ROWS), some(RUNS, CLIENTS, 3, d)
        prob, W = abs(some(RUNS, CLIENTS, ROWS, 4)), some(RUNS, CLIENTS, 3, d, 4)
        c, s = some(CLIENTS, CLIENTS), some(RUNS, CLIENTS)
        yield f"glm_hvp d={d}", [glm_hvp(A, h, V, 0.1)]
        yield f"softmax_hvp d={d}", [softmax_hvp(A, prob, h, W, 0.1)]
        for variant in ("4a", "4b"):
            yield f"mix_jvp {variant} d={d}", [mix_jvp(c, V, s, A, h, 0.1, variant=variant)]
    A, h, V = some(CLIENTS, 70, 1403), some(CLIENTS, 70), some(1, CLIENTS, 19, 1403)
    yield "glm_hvp of many vectors", [glm_hvp(A, h, V, 0.1)]
    A, h, V = some(2, 40, 1100), some(2, 40), some(2, 19, 1100)  # tiles of coordinates
    yield "glm_hvp in tiles", [glm_hvp(A, h, V, 0.1)]


def stepped(rng: np.random.Generator, dtype: Any) -> Iterator[tuple[str, list[Array]]]:
    from theorylab.kernels import ClientLosses, DrawnNetwork, ascent, rounds

    ids, own = np.arange(RUNS), np.full(CLIENTS, ROWS // CLIENTS)
    for d in SIZES:
        A, centers = (rng.standard_normal((n, d)).astype(dtype) for n in (ROWS, CLIENTS))
        half = rng.standard_normal((CLIENTS, d, d)).astype(dtype) / dtype(d)
        tables = {
            "dense": ClientLosses.quadratic(half + half.transpose(0, 2, 1), centers, 0.5),
            "diagonal": ClientLosses.quadratic(centers * centers, centers, 0.5),
            "log-cosh": ClientLosses.separable(centers, scale=1.5, noise=0.5, clip=None),
            "clipped": ClientLosses.separable(centers, scale=1.5, noise=0.5, clip=0.5),
        }
        for columns in (1, 3):
            labels = rng.integers(0, max(columns, 2), ROWS)
            tables[f"{columns} columns"] = ClientLosses.regression(
                A, labels, own, columns=columns, batch=7, reg=0.125
            )
        for name, table in tables.items():
            x = rng.standard_normal((RUNS, CLIENTS, table.dim)).astype(dtype)
            w = (rng.random((RUNS, CLIENTS)) + 0.5).astype(dtype)
            options: dict[str, Any] = {"seed": 2, "runs": ids, "steps": 2, "alpha": 0.9, "rho": 0.1}
            network = DrawnNetwork(CLIENTS, 2, True, 3)
            made = [
                table.gradients(x),
                ascent(x, table.gradients(x), 0.5),
                table.local_steps(x, w, round=4, eta=0.01, **options),
                *rounds(
                    table, network, x, w, first=4, etas=np.full(3, 0.01), graphs=ids, **options
                )[:3],
            ]
            if "columns" in name:
                made += [table.values(x), *table.means(np.ascontiguousarray(x[:, 0]))]
            yield f"{name} d={d}", made
    network, ids = DrawnNetwork(CLIENTS, 2, True, 3), np.arange(5)  # runs side by side
    for d in SIZES:
        centers, half = (
            rng.standard_normal(shape).astype(dtype) for shape in ((CLIENTS, d), (CLIENTS, d, d))
        )
        table = ClientLosses.quadratic(half + half.transpose(0, 2, 1), centers, 0.0)
        x = rng.standard_normal((len(ids), CLIENTS, d)).astype(dtype)
        w = (rng.random((len(ids), CLIENTS)) + 0.5).astype(dtype)
        options = {"seed": 2, "runs": ids, "steps": 2, "alpha": 0.9, "first": 4}
        etas, graphs = np.full(3, 0.01), ids[:1]
        yield (
            f"runs d={d}",
            [*rounds(table, network, x, w, etas=etas, graphs=graphs, **options)[:3]],
        )


def lines() -> list[str]:
    """A line each: dtype, kernel, digest."""
    made = [("", name, arrays) for name, arrays in (*drawn(), *sized())]
    for dtype in (np.float32, np.float64):
        for kind in (mixed, curved, stepped):
            made += [(dtype.__name__, *one) for one in kind(np.random.default_rng(1), dtype)]
    return [
        f"{dtype:7} {name:20} {hashlib.sha256(b''.join(a.tobytes() for a in arrays)).hexdigest()}"
        for dtype, name, arrays in made
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--core", default=None, metavar="DIR", help="folder of another _core")
    arguments = parser.parse_args()
    if arguments.core is not None:
        load_core(arguments.core)
    from theorylab import _core

    printed: list[str] = []
    for isa in _core.usable_isas().split(", "):
        _core.use_isa(isa)
        made = lines()
        for one, other in zip(printed or made, made, strict=True):
            if one != other:
                print(f"bits.py: {isa} has other bits than baseline: {other}", file=sys.stderr)
                return 1
        printed = made
    print("\n".join(printed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
