"""What a launch is made of: how much shared memory is asked for, and how words are packed."""

import struct

import pytest

from theorylab.kernels._schedule import Facts, Grid, Schedule, carve_out, packed

H200 = Facts("H200", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1, 1)


@pytest.mark.parametrize(
    ("grid", "share"),
    [
        (Grid(264, 512), 0),  # none is used: all of it caches
        (Grid(264, 512, 110 << 10), 98),  # two blocks of 111 KiB, of 228: 97.4
        (Grid(132, 512, 110 << 10), 49),  # there is one block for each
        (Grid(264, 512, 226 << 10), 100),
        (Grid(9000, 1024, 1 << 10), 2),  # two blocks fill the threads
        (Grid(9000, 256, 1 << 10), 8),
    ],
)
def test_the_carve_out_is_what_the_resident_blocks_use(grid, share):
    assert carve_out(grid, H200) == share


def test_words_are_packed_as_they_are_one_by_one():
    assert packed([1, -1, 0.5]) == struct.pack("<QQd", 1, 2**64 - 1, 0.5)


def test_known_sizes_are_built_in_at_run_time_only():
    schedule = Schedule("push_mix_tiles", ("float", "4"), (128, 11))
    assert str(schedule) == "push_mix_tiles<float, 4>"
    assert schedule.kernel == "tl::push_mix_tiles_gpu<float, 4, 128, 11>"
    assert Schedule("push_weights", ("double",)).kernel == "tl::push_weights_gpu<double>"
