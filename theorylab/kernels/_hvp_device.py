"""glm_hvp, softmax_hvp and mix_jvp on a GPU: the launches of a call."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from theorylab.kernels._calls import Calls
from theorylab.kernels._cuts import MOST_BLOCKS, packet_of
from theorylab.kernels._device import Array, DeviceArrays, Taken
from theorylab.kernels._hvp_plans import (
    RowsPlan,
    Sizes,
    plan_kept,
    plan_logits,
    plan_outer,
    plan_pulls,
    plan_rows,
    plan_softmax,
)
from theorylab.kernels._paths import Grid, Schedule

_MOST_VECTORS = 2**32
CALLS = Calls()  # of glm_hvp, softmax_hvp and mix_jvp, their arrays as ``Given.arrays``


@dataclass(frozen=True)
class Given:
    """The arguments of a call, whose shapes were checked. named: what messages call them."""

    A: Taken
    weight: Taken
    prob: Taken | None
    V: Taken
    c: Taken | None
    s: Taken | None
    named: dict[str, Taken]
    own_weight: bool
    own_c: bool
    own_s: bool
    reg: float
    before: bool  # (4a): the product is of what was mixed

    @property
    def arrays(self) -> tuple[Taken | None, ...]:
        return self.A, self.weight, self.prob, self.V, self.c, self.s


def product_on_device(
    call: DeviceArrays, sizes: Sizes, given: Given, out: Array | None, what: Hashable
) -> Array:
    """The product, or with c the step of mix_jvp, where the arrays live.

    what: the arguments that are no arrays, under which ``CALLS`` keeps the call.
    """
    if sizes.vectors >= _MOST_VECTORS:  # the kernels divide by k in 32 bits
        raise ValueError(f"{call.where}: R k = {sizes.vectors} came; need fewer than 2^32")
    (made,) = call.results({"out": given.V.shape}, None if out is None else [out], given.named)
    if sizes.numbers:
        launches = _Launches(call, sizes, given, made)
        launches.list()
        arrays = [array for array in given.arrays if array is not None]
        call.run(CALLS, what, arrays, [made], out is None, launches.work)
    return made.array


class _Launches:
    """The kernels of one call, listed with all the memory they need."""

    def __init__(self, call: DeviceArrays, sizes: Sizes, given: Given, made: Taken) -> None:
        self.call, self.sizes, self.given, self.made = call, sizes, given, made
        self.item = call.dtype.itemsize
        self.point = made if given.before else given.V  # what H multiplies
        self.work: list[Taken] = []

    def list(self) -> None:
        given, sizes = self.given, self.sizes
        if given.c is not None:
            self._mix(given.c)
        rows = None if sizes.classes else plan_rows(sizes, self.item, self.call.facts)
        if self._kept():
            return
        if rows is not None:
            self._rows(rows)
        elif given.prob is None or not self._softmax(given.prob):
            self._passes()

    def _add(
        self, name: str, types: tuple[str, ...], grid: Grid, *words: int | float | Taken
    ) -> None:
        self.call.launch(Schedule(name, (self.call.type, *types)), grid, *words)

    def _mix(self, c: Taken) -> None:
        sizes, u, made = self.sizes, self.given.V, self.made
        length = sizes.k * sizes.size
        vec = packet_of(u.address | made.address, length, self.item) // self.item
        slices = -(-length // (128 * vec))
        grid = Grid(
            min(sizes.runs * sizes.n * slices, MOST_BLOCKS), 128, 128 * (self.item + 4) + 16
        )
        own = int(self.given.own_c)
        self._add("mix_rows", (str(vec),), grid, sizes.runs, sizes.n, length, own, c, u, made)

    def _rows(self, plan: RowsPlan) -> None:
        given, sizes = self.given, self.sizes
        sums = self._split_sums() if plan.split else self._sums()
        if sums is None:  # no room for those of chunks
            smaller = plan_rows(sizes, self.item, self.call.facts, splits=False)
            assert smaller is not None
            plan, sums = smaller, self._sums()
        packet = packet_of(given.A.address | self.point.address, sizes.d, self.item)
        self._add(
            "glm_hvp_rows", (str(plan.together),), plan.grid,
            *self._shape(), int(sizes.own_data), int(given.own_weight), int(given.own_s),
            plan.many, plan.tile, plan.at_once, packet, int(plan.split), given.reg,
            given.A, given.weight, self.point, self._steps(), sums, self.made,
        )  # fmt: skip
        if plan.split:
            self._finish(sums)

    def _kept(self) -> bool:
        """Whether sums in registers serve: enough memory for those of chunks, too."""
        given, sizes = self.given, self.sizes
        plan = plan_kept(sizes, self.item, self.call.facts)
        sums = None if plan is None else self._split_sums()
        if plan is None or sums is None:
            return False
        packet = packet_of(given.A.address | self.point.address, sizes.d, self.item)
        self._add(
            "glm_hvp_kept", tuple(map(str, plan.types)), plan.grid,
            *self._shape(), int(sizes.own_data), int(given.own_weight), plan.many, plan.tile,
            packet, given.A, given.weight, self.point, sums,
        )  # fmt: skip
        self._finish(sums)
        return True

    def _softmax(self, prob: Taken) -> bool:
        """Whether one pass serves: enough memory for the sums of chunks, too."""
        given, sizes = self.given, self.sizes
        vec = packet_of(given.A.address, sizes.d, self.item) // 16 * (16 // self.item) or 1
        plan = plan_softmax(sizes, self.item, self.call.facts, vec, given.own_weight)
        sums = None if plan is None else self._split_sums()
        if plan is None or sums is None:
            return False
        self._add(
            "softmax_rows", (str(vec),), plan.grid,
            *self._shape(), sizes.classes, int(sizes.own_data), int(given.own_weight),
            plan.many, plan.tile, plan.weighings, given.A, given.weight, prob, self.point, sums,
        )  # fmt: skip
        self._finish(sums)
        return True

    def _passes(self) -> None:
        given, sizes, call = self.given, self.sizes, self.call
        y = self._room(sizes.sets * sizes.m * sizes.vectors * (sizes.classes or 1))
        plan = plan_outer(sizes, self.item, call.facts)
        sums: Taken | int | None = self._split_sums() if plan.split else 0
        if sums is None:
            plan, sums = plan_outer(sizes, self.item, call.facts, splits=False), 0
        data, own = int(sizes.own_data), int(given.own_weight)
        packet = packet_of(given.A.address, sizes.d, self.item)
        shape = self._shape()
        if given.prob is None:
            tile, grid = plan_pulls(sizes, self.item, call.facts)
            both = packet_of(given.A.address | self.point.address, sizes.d, self.item)
            self._add(
                "glm_hvp_pulls", (), grid,
                *shape, data, own, tile, both, given.A, given.weight, self.point, y,
            )  # fmt: skip
        else:
            self._add(
                "softmax_logits", (), plan_logits(sizes, self.item),
                *shape, sizes.classes, data, packet, given.A, self.point, y,
            )  # fmt: skip
            tasks = sizes.sets * sizes.m * sizes.vectors
            self._add(
                "softmax_curve", (),
                Grid(min(-(-tasks // 256), MOST_BLOCKS), 256),
                sizes.runs, sizes.n, sizes.m, sizes.k, sizes.classes, data, own,
                given.weight, given.prob, y,
            )  # fmt: skip
        self._add(
            "hvp_outer", (), plan.grid,
            *shape, sizes.classes or 1, data, own, int(given.own_s), plan.tile, plan.packets,
            plan.groups, packet, int(plan.split), self._divisor(), given.reg,
            given.A, given.weight, y, self.point, self._steps(), sums, self.made,
        )  # fmt: skip
        if plan.split:
            self._finish(sums)

    def _finish(self, sums: Taken | int) -> None:
        sizes = self.sizes
        self._add(
            "hvp_finish", (),
            Grid(min(-(-sizes.numbers // 256), MOST_BLOCKS), 256),
            sizes.runs, sizes.n, sizes.k, sizes.size, sizes.chunks, self._divisor(),
            self.given.reg, self.point, self._steps(), int(self.given.own_s), sums, self.made,
        )  # fmt: skip

    def _shape(self) -> tuple[int, int, int, int, int]:
        sizes = self.sizes
        return sizes.runs, sizes.n, sizes.m, sizes.d, sizes.k

    def _divisor(self) -> int:
        return 1 if self.sizes.classes else self.sizes.m

    def _steps(self) -> Taken | int:
        return 0 if self.given.s is None else self.given.s

    def _split_sums(self) -> Taken | None:
        """Where each chunk's sums go, or None where the GPU has no room for them."""
        try:
            return self._room(self.sizes.chunks * self.sizes.numbers)
        except MemoryError:
            return None

    def _sums(self) -> Taken:
        """Where sums of all chunks go: in out, unless that holds what was mixed."""
        if self.given.c is None or self.sizes.chunks == 1:
            return self.made
        return self._room(self.sizes.numbers)

    def _room(self, numbers: int) -> Taken:
        """That much work space, which stays until the launches are made."""
        (made,) = self.call.fresh(((numbers,), self.call.dtype), what="the work space needs")
        self.work.append(made)
        return made
