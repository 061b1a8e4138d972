"""glm_hvp, softmax_hvp and mix_jvp on a GPU: how a call is cut into blocks."""

from __future__ import annotations

from dataclasses import dataclass

from theorylab.kernels._cuts import MOST_BLOCKS, shared_each, up
from theorylab.kernels._paths import Facts, Grid

_MANY = 8  # vectors of a block: from here on the flop take longer than reading A
_LONGEST = 64  # rows of a tile
_THREADS = 256  # of glm_hvp_kept
_CLASSES, _WARPS = 10, 8  # of softmax_rows, at most: csrc/cuda/softmax_rows.cuh
_CHUNK, _CHUNKS = 256, 64  # of rows: hvp_chunk in csrc/kernels/glm_hvp.cuh


@dataclass(frozen=True)
class Sizes:
    """Of one call. classes: 0 for a GLM. own_data: each run has data of its own."""

    runs: int
    n: int
    m: int
    d: int
    classes: int
    k: int
    own_data: bool

    @property
    def size(self) -> int:
        """Numbers of a vector."""
        return self.d * (self.classes or 1)

    @property
    def sets(self) -> int:
        """Pieces of data: the clients', or those of each run."""
        return self.n * (self.runs if self.own_data else 1)

    @property
    def vectors(self) -> int:
        """That meet one piece of data."""
        return self.k * (1 if self.own_data else self.runs)

    @property
    def numbers(self) -> int:
        return self.runs * self.n * self.k * self.size

    @property
    def chunk(self) -> int:
        """Rows whose sums are added before those of the next."""
        return _CHUNK if self.m <= _CHUNKS * _CHUNK else -(-self.m // _CHUNKS)

    @property
    def chunks(self) -> int:
        return -(-self.m // self.chunk)


@dataclass(frozen=True)
class RowsPlan:
    """``glm_hvp_rows``: together vectors share a read, many a block; tile rows, at_once a thread.

    split: a chunk of rows is a task of its own, and its sums go to memory.
    """

    together: int
    many: int
    tile: int
    at_once: int
    split: bool
    grid: Grid


@dataclass(frozen=True)
class OuterPlan:
    """``hvp_outer``: tile rows; packets of columns of A and groups of y's, of 16 bytes each."""

    tile: int
    packets: int
    groups: int
    split: bool
    grid: Grid


def plan_rows(sizes: Sizes, itemsize: int, facts: Facts, splits: bool = True) -> RowsPlan | None:
    """How ``glm_hvp_rows`` runs; None where its rows are too long for shared memory.

    Two blocks on a processor hide each other's barriers, if a tile still has 8 rows; else one, with
    twice the threads. Fewer vectors a block, which read A again from L2, come last.
    """
    groups = -(-sizes.vectors // _MANY)
    while True:
        many = -(-sizes.vectors // groups)
        together = _together(many, itemsize)
        padded = -(-many // together) * together
        for resident, fewest in ((2, 8), (1, 4)) if many > 1 else ((2, 8), (1, 2)):
            tile = _longest_tile(sizes, padded, itemsize, shared_each(facts, resident))
            if tile < min(fewest, sizes.m):
                continue
            threads = 512 // resident
            tasks = sizes.sets * groups
            split = splits and sizes.chunks > 1 and tasks < 4 * resident * facts.multiprocessors
            at_once = 4
            lanes = 64 // itemsize
            while at_once > 1 and -(-tile // at_once) * (padded // together) * lanes < 128:
                at_once //= 2  # a warp for each scheduler
            blocks = min(tasks * (sizes.chunks if split else 1), MOST_BLOCKS)
            shared = rows_bytes(sizes.d, padded, tile, itemsize)
            return RowsPlan(together, many, tile, at_once, split, Grid(blocks, threads, shared))
        if many == 1:
            return None
        groups = -(-sizes.vectors // (many // 2))


def rows_bytes(d: int, padded: int, tile: int, itemsize: int) -> int:
    """Shared memory of ``glm_hvp_rows``: HvpLayout in csrc/cuda/glm_hvp.cuh."""
    row = row_stride(d, itemsize) * itemsize
    few = padded * tile * itemsize
    return 2 * padded * row + 2 * tile * row + up(2 * few, 16) + up(few, 16) + up(8 * padded, 16)


def row_stride(d: int, itemsize: int) -> int:
    """Numbers from row to row in shared memory: an odd number of 64 bytes."""
    lanes = 64 // itemsize
    return (-(-d // lanes) | 1) * lanes


def _longest_tile(sizes: Sizes, padded: int, itemsize: int, budget: int) -> int:
    """Rows, in eights where there are as many; 0 where not one fits."""
    tile = min(_LONGEST, sizes.m)
    while tile and rows_bytes(sizes.d, padded, tile, itemsize) > budget:
        tile -= 1
    return tile if tile < 8 or tile == sizes.m else tile // 8 * 8


def _together(many: int, itemsize: int) -> int:
    """1, 2 or 4 vectors that fit 16 bytes and need the least padding; the most of those."""
    choices = [t for t in (4, 2, 1) if t * itemsize <= 16 and (t > 1 or many == 1)]
    return min(choices, key=lambda t: -(-many // t) * t)


@dataclass(frozen=True)
class KeptPlan:
    """``glm_hvp_kept``: types are its own, behind the dtype; many vectors a block, tile rows."""

    types: tuple[int, int, int, int]
    many: int
    tile: int
    grid: Grid


def plan_kept(sizes: Sizes, itemsize: int, facts: Facts) -> KeptPlan | None:
    """How ``glm_hvp_kept`` runs; None where threads have no registers for all sums of a block.

    Rows are longer than a block has threads, and two blocks share a processor.
    """
    vectors, packets, width = (8, 1, 4) if itemsize == 4 else (4, 2, 2)
    groups = -(-sizes.vectors // vectors)
    many = -(-sizes.vectors // groups)
    together = min(width, _together(many, itemsize))
    padded = -(-many // together) * together
    blocks = sizes.sets * groups * sizes.chunks
    if not _THREADS < sizes.d <= _THREADS * packets * width:
        return None
    if sizes.classes or max(blocks, sizes.m, sizes.vectors) >= 2**31:  # it counts in 32 bits
        return None
    tile = min(_LONGEST, sizes.m)
    while kept_bytes(sizes.d, padded, tile, itemsize) > shared_each(facts, 2):
        tile -= 1
        if tile < min(8, sizes.m):
            return None
    rows = min(sizes.chunk, sizes.m)
    tile = -(-rows // -(-rows // tile))  # no more tiles, of one length
    at_once = 1 if itemsize == 8 else 2 if together == 4 else 4  # rows of a lane in the dots
    shared = kept_bytes(sizes.d, padded, tile, itemsize)
    grid = Grid(min(blocks, MOST_BLOCKS), _THREADS, shared)
    return KeptPlan((together, padded // together, packets, at_once), many, tile, grid)


def kept_bytes(d: int, padded: int, tile: int, itemsize: int) -> int:
    """Shared memory of ``glm_hvp_kept``: KeptLayout in csrc/cuda/glm_hvp_kept.cuh."""
    row = row_stride(d, itemsize) * itemsize
    return (padded + tile) * row + 2 * up(padded * tile * itemsize, 16) + 8 * padded + 8


@dataclass(frozen=True)
class SoftmaxPlan:
    """``softmax_rows``: many vectors of a block, tile rows, weighings runs. A chunk is a task."""

    many: int
    tile: int
    weighings: int
    grid: Grid


def plan_softmax(
    sizes: Sizes, itemsize: int, facts: Facts, vec: int, own_weight: bool
) -> SoftmaxPlan | None:
    """How ``softmax_rows`` runs; None where classes, features or counts are too many for it.

    Two blocks at least share a processor: one adds up while the other waits for its tile.

    Args:
        vec: features that are read together.
    """
    lanes = 256 // itemsize  # rows of a warp, and features of a strip
    strips, left = divmod(sizes.d, lanes)
    if left and (not strips or left * sizes.classes > 32):
        strips += 1
    if not 0 < sizes.classes <= _CLASSES or strips > _WARPS:
        return None
    groups = -(-sizes.vectors // (_WARPS // strips))
    many = -(-sizes.vectors // groups)
    blocks = sizes.sets * groups * sizes.chunks
    if max(blocks, sizes.m, sizes.vectors, sizes.size) >= 2**31:
        return None  # it counts in 32 bits
    weighings = 1
    if own_weight:
        weighings = min((many - 1) // sizes.k + 2, -(-sizes.vectors // sizes.k))
    tile = min(lanes, sizes.m)
    shared = softmax_bytes(sizes.d, sizes.classes, many, tile, weighings, vec, itemsize)
    if shared > shared_each(facts, 2):
        return None  # one block on a processor has too few warps with logits to add
    grid = Grid(min(blocks, MOST_BLOCKS), 32 * many * strips, shared)
    return SoftmaxPlan(many, tile, weighings, grid)


def softmax_bytes(
    d: int, classes: int, many: int, tile: int, weighings: int, vec: int, itemsize: int
) -> int:
    """Shared memory of ``softmax_rows``: SoftmaxLayout in csrc/cuda/softmax_rows.cuh."""
    wide, strip = 16 // itemsize, 256 // itemsize
    stride = d | 1 if vec == 1 else (-(-d // vec) | 1) * vec
    line = (-(-_CLASSES // wide) | 1) * 16
    rows = up((tile * stride + strip) * itemsize + 16, 16)
    weights = up(tile * classes * itemsize + 16, 16) + up(tile * itemsize + 16, 16)
    return rows + weighings * weights + (d + tile) * many * line + up(8 * many, 16)


def plan_outer(sizes: Sizes, itemsize: int, facts: Facts, splits: bool = True) -> OuterPlan:
    """How ``hvp_outer`` runs: about three blocks on a processor."""
    wide = 16 // itemsize
    width = sizes.vectors * (sizes.classes or 1)
    down = -(-width // (8 * wide))
    groups = -(-width // (down * wide))
    down = -(-width // (groups * wide))
    packets = min(256 // groups, -(-sizes.d // wide))
    counts = 8 * groups * wide
    budget = min(72 << 10, facts.shared) - counts
    while packets > 1 and 2 * (packets + groups) * 16 > budget:
        packets //= 2
    tile = max(1, min(32, sizes.m, budget // (2 * (packets + groups) * 16)))
    tasks = sizes.sets * -(-sizes.d // (packets * wide)) * down
    split = splits and sizes.chunks > 1 and tasks < 8 * facts.multiprocessors
    blocks = min(tasks * (sizes.chunks if split else 1), MOST_BLOCKS)
    threads = -(-packets * groups // 32) * 32
    shared = 2 * tile * (packets + groups) * 16 + counts
    return OuterPlan(tile, packets, groups, split, Grid(blocks, threads, shared))


def plan_pulls(sizes: Sizes, itemsize: int, facts: Facts) -> tuple[int, Grid]:
    """Columns of a tile of ``glm_hvp_pulls``, and its grid: 32 rows a block."""
    lanes, wide, rows = 64 // itemsize, 16 // itemsize, 32
    units = min(16, -(-sizes.d // lanes))

    def shared(units: int) -> int:
        return 2 * (rows + wide) * row_stride(units * lanes, itemsize) * itemsize + 8 * wide

    while units > 1 and shared(units) > facts.shared:
        units //= 2
    tasks = sizes.sets * -(-sizes.m // rows) * -(-sizes.vectors // wide)
    return units * lanes, Grid(min(tasks, MOST_BLOCKS), rows // 2 * lanes, shared(units))


def plan_logits(sizes: Sizes, itemsize: int) -> Grid:
    """The grid of ``softmax_logits``: 128 rows a block, a warp for 16 bytes of columns."""
    wide, rows, features = 16 // itemsize, 128, 128 // itemsize
    packets = -(-sizes.vectors * sizes.classes // wide)
    groups = -(-packets // 8)
    warps = -(-packets // groups)
    shared = 2 * (rows * (features + wide) + features * warps * wide) * itemsize
    tasks = sizes.sets * -(-sizes.m // rows) * -(-packets // warps)
    return Grid(min(tasks, MOST_BLOCKS), 32 * warps, shared)
