"""How glm_hvp, softmax_hvp and mix_jvp are cut for a GPU, and what fits which device."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.kernels import _paths
from theorylab.kernels._cuts import packet_of
from theorylab.kernels._hvp_plans import (
    Sizes,
    plan_logits,
    plan_outer,
    plan_pulls,
    plan_rows,
    row_stride,
    rows_bytes,
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


def test_the_layout_of_shared_memory_is_the_same_in_both_languages(tmp_path):
    cases = [
        (d, padded, tile, itemsize)
        for d in (1, 16, 17, 784)
        for padded in (1, 2, 6, 8)
        for tile in (1, 3, 16)
        for itemsize in (4, 8)
    ]
    lines = "".join(
        f"  end<{'float' if size == 4 else 'double'}>({d}, {padded}, {tile});\n"
        for d, padded, tile, size in cases
    )
    (tmp_path / "layout.cpp").write_text(
        '#include "cuda/glm_hvp.cuh"\n#include <cstdio>\n'
        "template <class T> void end(i64 d, i64 padded, i64 tile) {\n"
        '  std::printf("%lld\\n", (long long)tl::HvpLayout<T>(d, padded, tile).end);\n}\n'
        f"int main() {{\n{lines}}}\n"
    )
    command = ["g++", "-std=c++17", f"-I{_paths.sources()}", "layout.cpp", "-o", "layout"]
    subprocess.run(command, check=True, cwd=tmp_path)
    made = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout
    assert [int(line) for line in made.split()] == [rows_bytes(*case) for case in cases]
