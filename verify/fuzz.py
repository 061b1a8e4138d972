"""Random calls of every kernel of theorylab._core, good ones compared with NumPy, bad ones refused.

    python verify/fuzz.py [--seconds S] [--seed N] [--first I] [--core DIR]

Call number i is a function of (--seed, i). Instruction sets and 1 to 4 threads take turns. A wrong
number, an exception of another kind, or an exception of more than one line ends with exit code 1
and says how to see it again: --first I --seconds 0. What a sanitizer finds ends the process.

--core DIR  use the theorylab/_core of that folder, as THEORYLAB_SANITIZE=address,undefined builds
            it; run with LD_PRELOAD="libasan.so libstdc++.so" of the compiler
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

Rng = np.random.Generator
REFUSALS = (ValueError, TypeError, MemoryError)
HOSTILE = (-1, 0, 1, 2, 2**31, 2**32 + 1, 2**47 + 1, 2**61, 2**62, 2**62 + 2, 2**63 - 1)


def load_core(folder: str) -> None:
    """Make ``theorylab._core`` the one of that folder, before anything imports it."""
    (path,) = pathlib.Path(folder).glob("theorylab/_core*.so")
    spec = importlib.util.spec_from_file_location("theorylab._core", path)
    assert spec is not None
    assert spec.loader is not None
    sys.modules["theorylab._core"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def hostile(core: Any) -> Callable[[Rng], None]:
    """Direct calls with sizes that wrap, arrays of any kind, and nothing that makes sense."""

    def call(rng: Rng) -> None:
        def size() -> int:
            return int(rng.choice(HOSTILE)) if rng.random() < 0.5 else int(rng.integers(0, 6))

        def work() -> int:  # of something that is done or touched where it is taken
            made = size()
            return made if made < 9 or made > 2**40 else 3

        def some(dtype: Any = None) -> Any:
            chosen = dtype or str(rng.choice(["f8", "f4", "i8", "i4"]))
            shape = tuple(rng.integers(0, 4, rng.integers(1, 4)))
            made = rng.integers(-2, 6, shape).astype(chosen)
            room = np.empty(made.nbytes + 1, np.uint8)[1:]
            if rng.random() < 0.2 and made.size:
                made = room.view(chosen).reshape(shape)
                made[...] = 1
            return made

        f, i = (np.float32 if rng.random() < 0.3 else np.float64), np.int64
        flags = [bool(rng.random() < 0.5) for _ in range(4)]
        losses = core.Losses32 if f == np.float32 else core.Losses64
        which, steps = int(rng.integers(12)), int(rng.choice([0, 2, -1]))
        if which == 0:
            shape = [size() for _ in range(6)]
            core.glm_hvp(
                "f",
                shape,
                flags,
                *(some(f) for _ in range(4)),
                0.1,
                some(f),
                some(f),
                flags[0],
                some(f),
            )
        elif which == 1 and flags[0]:
            given = [some(f) if rng.random() < 0.8 else None for _ in range(7)]
            core.plain_hvp(*given[:4], 0.1, *given[4:6], flags[1], given[6])
        elif which == 1:
            count = int(rng.integers(0, 3))
            parts = [(some(i), some(i), some(f)) for _ in range(count)]
            core.push_mix(
                core.Matrices(size(), parts, flags[0]), size(), *(some(f) for _ in range(5))
            )
        elif which == 2:
            one = (np.array([0, 1]), np.array([0]), np.ones(1))
            P = core.Matrices(1, [one] * int(rng.integers(1, 3)), flags[0])
            core.push_mix(P, size(), *(some(f) for _ in range(5)))
        elif which == 3:
            made = losses.regression(
                flags[0],
                size(),
                size(),
                some(f),
                some(np.float32),
                some(i),
                some(i),
                some(i),
                work(),
                0.1,
            )
            made.steps(some(f), some(f), 1, 2, some(i), steps, some(i), 0.1, 0.5, 0.1, some(f))
        elif which == 4:
            made = losses.quadratic(some(f), some(f), flags[0], 0.1)
            made.steps(some(f), some(f), 1, 2, some(i), steps, some(i), 0.1, 0.5, 0.1, some(f))
        elif which == 5:
            made = losses.separable(rng.random((2, 3)).astype(f), 1.0, 0.5, 0.1)
            made.steps(
                np.ones((2, 2, 3), f),
                np.ones((2, 2), f),
                1,
                2,
                np.arange(2),
                steps,
                rng.integers(-5, 2**40, (2, 2)),
                0.1,
                0.5,
                0.1,
                np.empty((2, 2, 3), f),
            )
            made.gradients(some(f), some(i), some(np.float64), some(f))
            made.values(some(f), some(f))
        elif which == 6:
            core.ascent(some(f), some(f), 0.1, size(), some(f))
            core.draws_real(flags[0], 1, 2, 3, 4, some(i), some(i), some(np.float64))
            core.draws_integer(1, 2, 3, 4, some(i), some(i), some(i), some(i))
        elif which == 9:
            core.random_network(
                size(), size(), flags[0], 1, 2, 3, 4, some(np.int32), some(np.int32), some(f)
            )
        elif which == 10:
            made = losses.separable(rng.random((2, 3)).astype(f), 1.0, 0.5, 0.1)
            one = (np.array([0, 1, 2]), np.array([0, 1]), np.ones(2))
            P = core.Matrices(2, [one] * int(rng.integers(0, 3)), flags[0])
            R = int(rng.integers(0, 3))
            x, w, whole = np.ones((R, 2, 3), f), np.ones((R, 2), f), rng.random() < 0.7
            core.rounds(
                made,
                P if flags[1] else None,
                (2, int(rng.integers(-1, 3)), flags[0], 7, 3),
                rng.integers(-1, 5, int(rng.choice([R, 1]))) if whole else some(i),
                x if whole else some(f),
                w if whole else some(f),
                1,
                int(rng.choice([0, 5, -1, 2**32 - 1, 2**62])),
                np.full(int(rng.integers(0, 4)), 0.1),
                np.arange(R) if whole else some(i),
                steps,
                rng.integers(-5, 2**40, (R, 2)) if flags[2] else np.empty(0, i),
                0.5,
                0.1,
                flags[3],
                flags[0],
                np.empty_like(x) if whole else some(f),
                np.empty_like(w),
                np.empty_like(x),
            )
        elif which == 11:
            core.matrix_norms(some(f), size(), float(rng.choice([0, 1, np.nan])))
            one = (np.array([0, 1, 2]), np.array([0, 1]), np.ones(2))
            P = core.Matrices(2, [one] * int(rng.integers(1, 3)), flags[0]) if flags[1] else None
            core.lag_sums(P, some(f), some(f), some(f), 1.0, *(some(f) for _ in range(4)))
        elif which == 7:
            core.fresh64([work() for _ in range(rng.integers(0, 4))])
        else:
            words = core.fresh64((512 * int(rng.integers(0, 3)),))
            core.traffic(
                str(rng.choice(["copy", "read", "write"])),
                words,
                some(np.float64) if flags[0] else words,
            )

    return call


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--core", default="")
    given = parser.parse_args(arguments)
    if given.core:
        load_core(given.core)
    import fuzz_calls as calls
    import fuzz_losses as losses

    from theorylab import _core as core

    plan: list[Callable[[Rng], None]] = [
        *(calls.fuzz_push_mix, calls.fuzz_draws, calls.fuzz_hvp, calls.fuzz_norms),
        *(losses.fuzz_local_steps, losses.fuzz_gradients, losses.fuzz_ascent, hostile(core)),
    ]
    isas = core.usable_isas().split(", ")
    print(f"fuzz: seed {given.seed}, {core.__file__}, {', '.join(isas)}", flush=True)
    began, turn, refused = time.perf_counter(), given.first, 0
    while turn == given.first or time.perf_counter() - began < given.seconds:
        rng = np.random.default_rng([given.seed, turn])
        core.use_isa(isas[turn % len(isas)])
        core.set_threads(1 + int(rng.integers(4)))
        act = calls.fuzz_race if turn % 500 == 499 else plan[int(rng.integers(len(plan)))]
        try:
            act(rng)
        except REFUSALS as error:
            refused += 1
            if len(str(error).splitlines()) > 1 and "incompatible function" not in str(error):
                return failed(turn, given.seed)
        except Exception:
            return failed(turn, given.seed)
        turn += 1
    print(f"fuzz: {turn - given.first} calls, {refused} refused, none wrong")
    return 0


def failed(turn: int, seed: int) -> int:
    traceback.print_exc()
    print(f"fuzz: call {turn} is wrong; again: --seed {seed} --first {turn} --seconds 0")
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
