"""What the plans of several kernels have in common, against plain loops."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorylab.kernels._cuts import (
    column_tiles,
    even_threads,
    packet_of,
    power_above,
    shared_each,
    up,
)
from theorylab.kernels._paths import Facts

NUMBERS = st.integers(1, 2**40)


def device(processors, shared=227 << 10, shared_of_all=228 << 10):
    return Facts("any", 90, processors, 1 << 20, shared, shared_of_all, 1 << 40, 1 << 40)


@given(NUMBERS, st.sampled_from([1, 16, 32, 128]))
def test_sizes_go_up_to_the_next_unit(size, unit):
    made = up(size, unit)
    assert made % unit == 0
    assert size <= made < size + unit
    assert up(size) == up(size, 128)


@given(NUMBERS)
def test_a_power_of_2_that_is_enough_and_no_more(number):
    made = power_above(number)
    assert made & (made - 1) == 0
    assert made // 2 < number <= made


@given(st.lists(st.integers(0, 2**20), min_size=1, max_size=3), st.integers(1, 100),
       st.sampled_from([4, 8]))  # fmt: skip
def test_a_packet_is_the_largest_that_every_row_of_every_array_allows(starts, d, itemsize):
    starts = [start * itemsize for start in starts]
    alike = 0
    for start in starts:
        alike |= start
    rows = [start + row * d * itemsize for start in starts for row in range(3)]
    sizes = [size for size in (16, 8, 4) if size >= itemsize]
    wanted = next(
        size for size in sizes if not any(at % size for at in rows) and d * itemsize % size == 0
    )
    assert packet_of(alike, d, itemsize) == wanted


def test_the_driver_takes_its_part_of_each_block():
    assert [shared_each(device(1), r) for r in (1, 2)] == [227 << 10, (114 << 10) - 1024]
    assert shared_each(device(1, 1 << 10), 2) == 1 << 10


@pytest.mark.parametrize("itemsize", [4, 8])
def test_tiles_are_narrower_where_there_are_few_but_hold_a_segment(itemsize):
    for runs, d, processors in itertools.product((1, 3, 100), (1, 6, 16, 40, 4096), (1, 4, 132)):
        vec = packet_of(0, d, itemsize) // itemsize
        found = list(column_tiles(runs, d, vec, itemsize, device(processors)))
        assert found
        for tile, blocks, shared in found:
            resident = 2 if shared == (114 << 10) - 1024 else 1
            assert tile % vec == 0
            assert tile * itemsize >= min(64, d * itemsize)
            assert tile // vec <= 32
            assert blocks == min(runs * -(-d // tile), resident * processors)
            # not the narrowest possible: there is one for every block that has room
            if tile // 2 >= vec and tile // 2 * itemsize >= 64:
                assert blocks == resident * processors
        for resident in ((114 << 10) - 1024, 227 << 10):
            tiles = [tile for tile, _, shared in found if shared == resident]
            assert tiles == sorted(set(tiles), reverse=True)


def test_as_many_tiles_as_blocks_at_once_stay_wide_and_one_fewer_do_not():
    first = [next(column_tiles(1, tiles * 128, 4, 4, device(4))).tile for tiles in (8, 7)]
    assert first == [128, 64]  # two blocks on each of 4; 32 packets of 16 bytes


def test_without_runs_there_are_no_blocks():
    assert {blocks for _, blocks, _ in column_tiles(0, 64, 4, 4, device(3))} == {0}


@pytest.mark.parametrize(
    ("rows", "each", "threads"),
    [(100, 32, 480), (25, 32, 416), (16, 32, 512), (17, 32, 288), (3, 2, 32), (1, 512, 512)],
)
def test_threads_are_as_few_as_take_no_more_turns(rows, each, threads):
    assert even_threads(rows, each) == threads
    assert -(-rows // (threads // each)) == -(-rows // (512 // each))
