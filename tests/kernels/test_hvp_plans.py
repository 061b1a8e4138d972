"""How glm_hvp, softmax_hvp and mix_jvp are cut for a GPU, and what fits which device."""

import subprocess
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.kernels import _paths
from theorylab.kernels._cuts import packet_of
from theorylab.kernels._hvp_plans import (
    Sizes,
    kept_bytes,
    plan_kept,
    plan_logits,
    plan_outer,
    plan_pulls,
    plan_rows,
    plan_softmax,
    row_stride,
    rows_bytes,
    softmax_bytes,
)
from theorylab.kernels._paths import Facts

H200 = Facts("big", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 38)
SIZES = st.builds(
    Sizes,
    runs=st.integers(1, 70),
    n=st.integers(1, 300),
    m=st.integers(1, 40_000),
    d=st.integers(1, 60_000),
    classes=st.integers(0, 30),
    k=st.integers(1, 20),
    own_data=st.booleans(),
)
DEVICES = st.builds(
    Facts,
    name=st.just("any"),
    capability=st.just(80),
    multiprocessors=st.integers(1, 200),
    l2=st.just(1 << 20),
    shared=st.integers(48 << 10, 227 << 10),
    shared_of_all=st.integers(228 << 10, 256 << 10),
    free=st.just(1 << 40),
    total=st.just(1 << 40),
)


def test_the_case_it_was_made_for_fills_an_h200():
    # 100 clients of 600 rows: blocks of one chunk; two of 16 rows of 784 numbers on a processor
    plan = plan_rows(Sizes(1, 100, 600, 784, 0, 2, False), 4, H200)
    assert (plan.together, plan.many, plan.tile, plan.at_once, plan.split) == (2, 2, 16, 2, True)
    assert (plan.grid.blocks, plan.grid.threads) == (300, 256)
    assert 2 * (plan.grid.shared + 1024) <= H200.shared_of_all
    many = plan_rows(Sizes(1, 2000, 600, 784, 0, 2, False), 4, H200)
    assert (many.split, many.grid.blocks) == (False, 2000)


def test_runs_that_share_their_data_share_a_block():
    shared = plan_rows(Sizes(4, 100, 600, 784, 0, 2, False), 4, H200)
    assert (shared.many, shared.grid.blocks) == (8, 300)
    own = plan_rows(Sizes(4, 100, 600, 784, 0, 2, True), 4, H200)
    assert (own.many, own.grid.blocks) == (2, 1200)


@pytest.mark.parametrize(("itemsize", "longest"), [(4, 9_600), (8, 4_800)])
def test_rows_stay_in_shared_memory_as_long_as_four_of_them_fit_beside_two_vectors(
    itemsize, longest
):
    def plan(d, k=2):
        return plan_rows(Sizes(1, 100, 600, d, 0, k, False), itemsize, H200)

    # 2 vectors, 2 sums and 2 tiles of 4 rows; then a vector a block, which reads A once more
    assert plan(longest // 2).many == 2
    assert (plan(longest).many, plan(longest).tile >= 2) == (1, True)
    assert plan(longest + longest // 2) is None


def test_sums_stay_in_registers_where_a_thread_has_16_bytes_of_coordinates_or_twice_as_many():
    def plan(d, k, itemsize=4):
        return plan_kept(Sizes(1, 100, 600, d, 0, k, False), itemsize, H200)

    assert (plan(784, 2).types, plan(784, 2).tile) == ((2, 1, 1, 4), 32)
    assert (plan(784, 8).types, plan(784, 8).tile) == ((4, 2, 1, 2), 26)
    assert (plan(784, 2, 8).types, plan(784, 2, 8).tile) == ((2, 1, 2, 1), 16)
    assert plan(784, 8).grid.blocks == 300
    assert plan(784, 9).many == 5
    assert [plan(d, 2) is None for d in (256, 257, 1024, 1025)] == [True, False, False, True]


@settings(max_examples=150)
@given(sizes=SIZES, itemsize=st.sampled_from([4, 8]), facts=DEVICES, d=st.integers(200, 1100))
def test_a_plan_of_glm_hvp_kept_fits_the_device_and_covers_the_work(sizes, itemsize, facts, d):
    sizes = replace(sizes, d=d, classes=0)
    plan = plan_kept(sizes, itemsize, facts)
    if plan is None:
        return
    together, groups, packets, at_once = plan.types
    assert plan.many <= together * groups <= (8 if itemsize == 4 else 4)
    assert together * itemsize <= 16
    assert d <= packets * plan.grid.threads * (16 // itemsize)
    assert at_once * together <= 64 // itemsize  # lanes that write a team's pulls
    assert 1 <= plan.tile <= sizes.m
    assert plan.grid.shared == kept_bytes(d, together * groups, plan.tile, itemsize)
    assert 2 * (plan.grid.shared + 1024) <= facts.shared_of_all
    blocks = sizes.sets * -(-sizes.vectors // plan.many) * sizes.chunks
    assert plan.grid.blocks == blocks


def test_the_digits_have_a_warp_for_each_vector_and_seven_blocks_on_a_processor():
    digits = Sizes(1, 100, 6000, 65, 10, 2, False)
    plan = plan_softmax(digits, 4, H200, 1, False)
    assert plan is not None
    assert (plan.many, plan.tile, plan.weighings) == (2, 64, 1)
    assert (plan.grid.blocks, plan.grid.threads) == (2400, 64)
    assert 7 * (plan.grid.shared + 1024) <= H200.shared_of_all
    for d, strips in ((64, 1), (67, 1), (68, 2), (259, 4), (260, 5)):
        plan = plan_softmax(Sizes(1, 1, 9, d, 10, 1, False), 4, H200, 1, False)
        assert plan is not None
        assert plan.grid.threads == 32 * strips
    for d, classes in ((400, 10), (65, 11)):
        assert plan_softmax(Sizes(1, 1, 600, d, classes, 1, False), 4, H200, 1, False) is None


@settings(max_examples=150)
@given(
    sizes=SIZES,
    itemsize=st.sampled_from([4, 8]),
    facts=DEVICES,
    own=st.booleans(),
    d=st.integers(1, 600),
)
def test_a_plan_of_softmax_rows_fits_the_device_and_covers_the_work(sizes, itemsize, facts, own, d):
    sizes = replace(sizes, d=d, classes=sizes.classes % 11)
    plan = plan_softmax(sizes, itemsize, facts, 1, own)
    if plan is None:
        return
    lanes = 256 // itemsize
    strips = plan.grid.threads // (32 * plan.many)
    assert 1 <= strips * plan.many <= 8
    assert max(d - strips * lanes, 0) * sizes.classes <= 32
    assert 1 <= plan.tile <= sizes.m
    assert plan.grid.shared <= facts.shared
    assert 2 * (plan.grid.shared + 1024) <= facts.shared_of_all
    groups = -(-sizes.vectors // plan.many)
    assert plan.grid.blocks == sizes.sets * groups * sizes.chunks
    runs = [
        {v // sizes.k for v in range(first, min(first + plan.many, sizes.vectors))}
        for first in range(0, min(sizes.vectors, 300), plan.many)
    ]
    assert not own or max(map(len, runs)) <= plan.weighings


@settings(max_examples=150)
@given(sizes=SIZES, itemsize=st.sampled_from([4, 8]), facts=DEVICES)
def test_a_plan_fits_the_device_and_covers_the_work(sizes, itemsize, facts):
    wide = 16 // itemsize
    rows = plan_rows(sizes, itemsize, facts)
    outer = plan_outer(sizes, itemsize, facts)
    tile, pulls = plan_pulls(sizes, itemsize, facts)
    grids = [outer.grid, pulls]
    assert outer.packets * outer.groups <= outer.grid.threads
    assert outer.tile >= 1
    assert tile % (64 // itemsize) == 0
    if sizes.classes:
        grids.append(plan_logits(sizes, itemsize))
    if rows is not None:
        grids.append(rows.grid)
        assert 1 <= rows.tile <= sizes.m
        assert rows.together * itemsize <= 16
        padded = -(-rows.many // rows.together) * rows.together
        assert padded < 2 * rows.many
        assert rows.grid.shared == rows_bytes(sizes.d, padded, rows.tile, itemsize)
        groups = -(-sizes.vectors // rows.many)
        assert rows.grid.blocks == sizes.sets * groups * (sizes.chunks if rows.split else 1)
    for grid in grids:
        assert grid.shared <= facts.shared
        assert grid.threads % 32 == 0
        assert 32 <= grid.threads <= 512
        assert grid.blocks >= 1
    across = -(-sizes.d // (outer.packets * wide))
    down = -(-sizes.vectors * (sizes.classes or 1) // (outer.groups * wide))
    tasks = sizes.sets * across * down * (sizes.chunks if outer.split else 1)
    assert outer.grid.blocks == min(tasks, 2**31 - 1)


def test_packets_are_what_starts_and_lengths_allow():
    assert [packet_of(256, d, 4) for d in (4, 6, 5)] == [16, 8, 4]
    assert [packet_of(start, 8, 4) for start in (16, 8, 4)] == [16, 8, 4]
    assert [packet_of(256, d, 8) for d in (2, 3)] == [16, 8]


@given(d=st.integers(1, 5000), itemsize=st.sampled_from([4, 8]))
def test_neighbouring_rows_lie_in_different_banks(d, itemsize):
    stride = row_stride(d, itemsize)
    assert d <= stride < d + 2 * 64 // itemsize
    assert stride * itemsize % 128 == 64


def printed(tmp_path, header, lines):
    """What a C++ program prints that includes the header: a number a line."""
    (tmp_path / "layout.cpp").write_text(
        f'#include "cuda/{header}"\n#include <cstdio>\nint main() {{\n{lines}}}\n'
    )
    command = ["g++", "-std=c++17", f"-I{_paths.sources()}", "layout.cpp", "-o", "layout"]
    subprocess.run(command, check=True, cwd=tmp_path)
    made = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout
    return [int(line) for line in made.split()]


def test_the_layout_of_shared_memory_is_the_same_in_both_languages(tmp_path):
    cases = [
        (d, padded, tile, itemsize)
        for d in (1, 16, 17, 784)
        for padded in (1, 2, 6, 8)
        for tile in (1, 3, 16)
        for itemsize in (4, 8)
    ]
    names = ("HvpLayout", rows_bytes), ("KeptLayout", kept_bytes)
    lines = "".join(
        f'  std::printf("%lld\\n", (long long)tl::{layout}<'
        f"{'float' if size == 4 else 'double'}>({d}, {padded}, {tile}).end);\n"
        for layout, _ in names
        for d, padded, tile, size in cases
    )
    want = [size(*case) for _, size in names for case in cases]
    assert printed(tmp_path, "glm_hvp_kept.cuh", lines) == want
    ends = [rows_bytes(*case) for case in cases]
    assert all(size % 16 == 0 for size in ends)  # counts of rows are read two by two, also the last


def test_the_layout_of_softmax_rows_is_the_same_in_both_languages(tmp_path):
    cases = [
        (d, classes, many, tile, weighings, vec, itemsize)
        for d in (1, 16, 65)
        for classes, many, weighings in ((1, 1, 1), (3, 2, 2), (10, 8, 1))
        for tile in (1, 3, 64)
        for itemsize in (4, 8)
        for vec in (1, 16 // itemsize)
    ]
    lines = "".join(
        '  std::printf("%lld\\n", (long long)tl::SoftmaxLayout<'
        f"{'float' if size == 4 else 'double'}>({', '.join(map(str, case))}).end);\n"
        for *case, size in cases
    )
    want = [softmax_bytes(*case) for case in cases]
    assert printed(tmp_path, "softmax_rows.cuh", lines) == want
    assert all(size % 16 == 0 for size in want)  # as above
