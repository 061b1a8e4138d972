"""How local_steps is cut into blocks of a GPU."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from theorylab.kernels._cuts import MOST_BLOCKS, PLANS, power_above, shared_each, up
from theorylab.kernels._paths import Facts, Grid

_LANES = 128  # bytes: chunks of a row are whole lanes of its products
_SEGMENT = 256  # bytes of a row that a chunk should hold at least
ROWS = ("kLogistic", "kSoftmax", "kDense")  # families that add rows
_QUAD = 4  # coordinates of a thread: kQuad in csrc/cuda/local_steps_quads.cuh
_RING = 12 * 4096  # bytes: stages of local_steps_squares, csrc/cuda/local_steps_passes.cuh
_ROOM = 2 << 30  # bytes of work space for the passes: more clients are taken in groups


class Cut(NamedTuple):
    """What a block keeps in shared memory, see StepLayout in csrc/cuda/local_steps_model.cuh.

    near: z and g; kept: x, v and the noise too. group, chunk: rows and columns that travel
    together; many: buffers for them.
    """

    near: bool
    kept: bool
    group: int
    chunk: int
    many: int
    threads: int


@dataclass(frozen=True)
class Passes:
    """The passes of SAM over long models, see csrc/cuda/local_steps_passes.cuh.

    group: (run, client) pairs at a time; squares: blocks of |g|^2.
    """

    group: int
    squares: Grid


@dataclass(frozen=True)
class Plan:
    """How one call runs: coordinates apart as ``pairs``, in ``passes``, or a block for each
    (run, client).

    work: bytes of work space in global memory, of every block; of a group of the passes.
    """

    pairs: bool
    cut: Cut
    grid: Grid
    work: int = 0
    passes: Passes | None = None


@dataclass(frozen=True)
class Model:
    """What the plan needs to know of one (run, client).

    width: columns of a row in whole packets, 0 without rows; rows: the most of one gradient;
    fixed: no step draws rows. sam, noisy. itemsize: of the state; data: of the rows.
    """

    family: str
    d: int
    columns: int
    width: int
    rows: int
    fixed: bool
    sam: bool
    noisy: bool
    itemsize: int
    data: int

    @property
    def stored(self) -> bool:
        """Whether a step's noise is kept for SAM's second gradient."""
        return self.sam and self.noisy


@functools.lru_cache(maxsize=PLANS)
def plan(tasks: int, model: Model, facts: Facts) -> Plan:
    """Cut ``tasks`` pairs (run, client) for this device.

    Raises ValueError where not even one row's classes fit in shared memory.
    """
    apart = model.family not in ROWS
    if apart and not model.sam:
        grid = _quads(tasks * -(-model.d // _QUAD), facts, 256, 3 if model.itemsize == 4 else 2)
        return Plan(True, Cut(False, False, 0, 0, 0, grid.threads), grid)
    if apart and _passes_are_faster(tasks, model.d, facts):
        return _passes(tasks, model, facts)
    residents = [r for r in (4, 2, 1) if r == 1 or 2 * tasks > r * facts.multiprocessors]
    for resident, cut in _cuts(model, facts, residents):
        if apart and not cut.kept:
            return _passes(tasks, model, facts)
        shared, work = step_bytes(model, cut)
        if shared <= shared_each(facts, resident):
            blocks = min(tasks, MOST_BLOCKS if not work else resident * facts.multiprocessors)
            return Plan(False, cut, Grid(blocks, cut.threads, shared), work)
    raise ValueError(
        f"local_steps: {model.columns} classes need {shared} bytes of shared memory, but a block "
        f"has {facts.shared}; need fewer classes"
    )


def _quads(quads: int, facts: Facts, most: int, resident: int) -> Grid:
    """``resident`` blocks of ``most`` threads a multiprocessor, or narrower ones for less work."""
    threads, at_once = most, most * resident * facts.multiprocessors
    while threads > 32 and (
        quads < at_once * threads // most or normals_bytes(threads) > shared_each(facts, resident)
    ):
        threads //= 2
    blocks = max(1, min(-(-quads // threads), at_once // threads))
    return Grid(blocks, threads, normals_bytes(threads))


def _passes_are_faster(tasks: int, d: int, facts: Facts) -> bool:
    """Microseconds of five steps on an H200, from twelve sizes of n = 16 to 1,000 clients.

    A block takes its client through 16 ns a coordinate, and all of them together .15. Passes wait
    75 for their launches and take .105 ns a coordinate.
    """
    alone = tasks * 132 / facts.multiprocessors
    return 75e3 + 0.105 * alone * d < 18e3 + max(16.0, 0.15 * alone) * d


def normals_bytes(threads: int) -> int:
    """Shared memory of ``QuadNormals`` in csrc/cuda/local_steps_quads.cuh."""
    return 2 * _QUAD * threads * 8 + 384


def pass_bytes(model: Model) -> int:
    """Work space of one (run, client): ``PassSpace`` in csrc/cuda/local_steps_passes.cuh."""
    noise = 8 if model.stored else 0
    return up(model.d, 32) * (noise + 2 * model.itemsize) + 2 * model.itemsize


def _passes(tasks: int, model: Model, facts: Facts) -> Plan:
    group = max(1, min(tasks, _ROOM // pass_bytes(model)))
    grid = _quads(group * -(-model.d // _QUAD), facts, 128, 4)
    squares = Grid(min(group, MOST_BLOCKS), 32, _RING)
    cut = Cut(False, False, 0, 0, 0, grid.threads)
    return Plan(False, cut, grid, group * pass_bytes(model), Passes(group, squares))


def _cuts(model: Model, facts: Facts, residents: Sequence[int]) -> Iterator[tuple[int, Cut]]:
    """(blocks that should fit a multiprocessor, cut), best first.

    residents: numbers of blocks, falling to 1, that there are tasks for.
    """
    vectors = ((True, True), (True, False), (False, False))
    if model.family not in ROWS:
        for resident in residents:
            yield resident, Cut(True, True, 0, 0, 0, _threads(model, 0, resident))
        yield 1, Cut(False, False, 0, 0, 0, 32)
        return
    # Rows in one piece are read from global memory once a step, and stay where they are all rows.
    most = 64 if model.family != "kDense" else model.rows
    lone = model.fixed or model.family == "kLogistic"  # the next rows take the place of these
    for resident in residents if lone or residents == [1] else residents[:-1]:
        threads = _threads(model, model.rows, resident)
        if model.rows <= min(most, _limit(model, threads)):
            many = 1 if lone else 2
            yield resident, Cut(True, True, model.rows, model.width, many, threads)
    for (near, kept), resident, least in (
        *(((True, True), resident, 8) for resident in residents[:-1]),
        *(((True, kept), 1, 4) for kept in (True, False)),
    ):
        for group in _halves(min(model.rows, 64)):
            threads = _threads(model, group, resident)
            if min(model.rows, least) <= group <= _limit(model, threads):
                yield resident, Cut(near, kept, group, model.width, 2, threads)
    # In pieces: few enough rows that L2 has them when they are read again, or else many.
    lanes = _LANES // model.itemsize
    for near, kept in vectors:
        for resident in residents[-2:]:
            groups = list(_halves(min(model.rows, 64)))
            together = resident * facts.multiprocessors * model.width * model.data
            groups.sort(key=lambda group: group * together > facts.l2 // 2)
            for group in groups:
                if group < min(model.rows, 4):
                    continue
                threads = _threads(model, group, resident)
                if group > _limit(model, threads):
                    continue
                for chunk in _chunks(model, lanes):
                    yield resident, Cut(near, kept, group, chunk, 2, threads)
    yield 1, Cut(False, False, 1, lanes, 2, 32)


def _halves(top: int) -> Iterator[int]:
    while top:
        yield top
        top //= 2


def _chunks(model: Model, lanes: int) -> Iterator[int]:
    """Columns of a load: whole lanes, from 4 KiB of a row down to a segment of memory."""
    for size in _halves(4096):
        if size >= _SEGMENT and size // model.data % lanes == 0:
            yield size // model.data


def _limit(model: Model, threads: int) -> int:
    """The most rows of a group: eight threads share two logistic rows."""
    return threads // 4 if model.family == "kLogistic" else max(model.rows, 1)


def _threads(model: Model, group: int, resident: int) -> int:
    """Enough for the products of a group and for all packets of the model, in whole warps.

    A thread has up to 128 registers, so that 512 threads fill a multiprocessor.
    """
    products = group * {"kLogistic": 4, "kSoftmax": -(-model.columns // 2)}.get(model.family, 1)
    wanted = max(products, model.d * model.itemsize // 16, 32)
    return min(power_above(wanted), 512 // resident)


def step_bytes(model: Model, cut: Cut) -> tuple[int, int]:
    """Shared memory and work space of a block: StepLayout in csrc/cuda/local_steps_model.cuh."""
    sizes = {True: 0, False: 0}
    vector = up(model.d, 32) * model.itemsize
    sizes[cut.near] += 2 * vector
    sizes[cut.kept] += 2 * vector + (up(model.d, 16) * 8 if model.stored else 0)
    sizes[True] += cut.many * up(cut.group * (cut.chunk * model.data + 16), 128)
    sizes[True] += up(cut.group * model.columns * model.itemsize, 128)
    if model.family == "kSoftmax":
        sizes[True] += up(cut.group * model.itemsize, 128)
    sizes[True] += up(32 * cut.group, 128) + 128
    sizes[True] += 0 if cut.near else 32 * cut.threads
    return sizes[True], sizes[False]
