"""How local_steps is cut for a GPU: what fits, and the same layout in both languages."""

import itertools
import pathlib
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.kernels import ClientLosses
from theorylab.kernels import _local_steps_device as device
from theorylab.kernels._local_steps_plan import (
    ROWS,
    Cut,
    Model,
    normals_bytes,
    pass_bytes,
    plan,
    step_bytes,
)
from theorylab.kernels._paths import Facts, emulated

CSRC = pathlib.Path(__file__).resolve().parents[2] / "csrc"
H200 = Facts("big", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 38)
FAMILIES = (*ROWS, "kDiagonal", "kLogCosh", "kClipped")


def model(family, d, rows=32, columns=1, sam=True, noisy=True, itemsize=4, data=None, fixed=False):
    """Of one (run, client); d: features of a regression."""
    data = data or itemsize
    packet = 16 // data
    width = -(-d // packet) * packet if family in ROWS else 0
    rows = d if family == "kDense" else rows if width else 0
    fixed = fixed or family == "kDense"
    return Model(family, d * columns, columns, width, rows, fixed, sam, noisy, itemsize, data)


@settings(max_examples=300)
@given(
    family=st.sampled_from(FAMILIES),
    d=st.integers(1, 200_000),
    rows=st.integers(1, 5000),
    columns=st.integers(2, 300),
    tasks=st.integers(1, 10**12),
    itemsize=st.sampled_from([4, 8]),
    shared=st.sampled_from([48 << 10, 99 << 10, 227 << 10]),
    sam=st.booleans(),
    fixed=st.booleans(),
)
def test_every_cut_fits_the_device_and_the_schedule(
    family, d, rows, columns, tasks, itemsize, shared, sam, fixed
):
    facts = Facts("any", 90, 132, 50 << 20, shared, shared + 1024, 1 << 37, 1 << 38)
    columns = columns if family == "kSoftmax" else 1
    one = model(family, d, rows, columns, sam, True, itemsize, None, fixed)
    made = plan(tasks, one, facts)
    cut, grid = made.cut, made.grid
    assert 1 <= grid.blocks < 2**31
    assert grid.threads % 32 == 0
    assert 32 <= grid.threads <= (256 if made.pairs else 512)  # what the kernels are compiled for
    assert grid.shared <= shared
    if made.pairs or made.passes:
        assert family not in ROWS
        assert (made.passes is not None) == sam
        assert grid.shared == normals_bytes(grid.threads)
        if made.passes:
            assert 1 <= made.passes.group <= tasks
            assert made.work == made.passes.group * pass_bytes(one)
            assert made.work <= 2 << 30  # or a single client's, which no test here exceeds
            assert made.passes.squares.shared <= shared
        return
    assert (grid.shared, made.work) == step_bytes(one, cut)
    assert made.work == 0 or grid.blocks <= 4 * 132  # so that work space stays small
    assert cut.kept <= cut.near
    if family in ROWS:
        whole_rows = cut.chunk >= one.width
        assert whole_rows or cut.chunk * itemsize % 128 == 0
        lone = one.fixed or family == "kLogistic"
        assert cut.many == 2 or (cut.group >= one.rows and whole_rows and lone)
    if family == "kLogistic":
        assert 4 * cut.group <= cut.threads


@pytest.mark.parametrize(
    ("given", "near", "kept", "group", "chunk", "many"),
    [
        (model("kLogistic", 65), True, True, 32, 68, 1),  # a minibatch stays for both gradients
        (model("kLogistic", 65, 40, fixed=True), True, True, 40, 68, 1),  # or for all steps
        (model("kLogistic", 784, noisy=False, itemsize=8), True, True, 32, 784, 1),
        (model("kLogistic", 5_000), True, False, 4, 5_000, 2),
        (model("kLogistic", 20_000), True, False, 32, 256, 2),  # rows in pieces
        (model("kLogistic", 1_000_000), False, False, 32, 256, 2),
        (model("kSoftmax", 65, columns=10), True, True, 32, 68, 2),
        (model("kDense", 130, itemsize=8), True, True, 130, 130, 1),  # H stays
        (model("kLogCosh", 1_000), True, True, 0, 0, 0),
        (model("kLogCosh", 1_000_000), False, False, 0, 0, 0),  # in passes
    ],
)
def test_what_an_h200_keeps_in_shared_memory(given, near, kept, group, chunk, many):
    cut = plan(1000, given, H200).cut
    assert cut[:5] == (near, kept, group, chunk, many)


def test_too_many_classes_are_refused_in_one_line():
    with pytest.raises(ValueError, match=r"local_steps: 100000 classes need .* need fewer classes"):
        plan(1, model("kSoftmax", 10, columns=100_000), H200)


def test_the_layout_is_the_same_in_both_languages(tmp_path):
    cases = [
        (one, Cut(near, kept, group, chunk, many, threads))
        for one in (
            model("kLogistic", 65),
            model("kLogistic", 65, itemsize=8, data=4),
            model("kSoftmax", 65, columns=10, itemsize=8),
            model("kDense", 37),
            model("kLogCosh", 999, itemsize=8),
            model("kLogCosh", 999, sam=False),
        )
        for (near, kept), group, chunk, many, threads in itertools.product(
            ((True, True), (True, False), (False, False)), (0, 1, 33), (0, 128), (1, 2), (32, 512)
        )
    ]
    types = {4: "float", 8: "double"}
    lines = []
    for one, cut in cases:
        softmax = str(one.family == "kSoftmax").lower()
        flags = ", ".join(str(flag).lower() for flag in (cut.near, cut.kept, one.stored))
        sizes = f"{one.d}, {one.columns}, {cut.group}, {cut.chunk}, {cut.many}"
        made = f"tl::StepLayout<{types[one.itemsize]}, {types[one.data]}>"
        lines.append(f"  show({made}({softmax}, {sizes}, {flags}, {cut.threads}));\n")
    apart = [
        model("kLogCosh", d, itemsize=size, noisy=noisy)
        for d, size, noisy in itertools.product((1, 999), (4, 8), (False, True))
    ]
    for one in apart:
        space = f"tl::PassSpace<{types[one.itemsize]}>::bytes({one.d}, {str(one.stored).lower()})"
        lines.append(f"  show({space}, tl::QuadNormals<int>::bytes({32 * one.d}));\n")
    (tmp_path / "layout.cpp").write_text(
        '#include "cuda/local_steps.cuh"\n#include "cuda/local_steps_passes.cuh"\n'
        "#include <cstdio>\n"
        'void show(i64 a, i64 b) { std::printf("%lld %lld\\n", (long long)a, (long long)b); }\n'
        "template <class L> void show(const L& l) { show(l.shared, l.work); }\n"
        f"int main() {{\n{''.join(lines)}}}\n"
    )
    command = ["g++", "-std=c++17", f"-I{CSRC}", "layout.cpp", "-o", "layout"]
    subprocess.run(command, check=True, cwd=tmp_path)
    text = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout
    got = [tuple(map(int, line.split())) for line in text.splitlines()]
    assert got == [step_bytes(one, cut) for one, cut in cases] + [
        (pass_bytes(one), normals_bytes(32 * one.d)) for one in apart
    ]


def test_every_block_has_work_space_of_its_own(rooms):
    X = np.random.default_rng(0).standard_normal((10, 300))
    labels, sizes = np.arange(10) % 2, np.full(5, 2)
    table = ClientLosses.regression(X, labels, sizes, columns=1, batch=None, reg=0.0)
    facts = Facts("small", 90, 3, 1 << 12, 4_000, 5_000, 1 << 40, 1 << 40)
    with emulated(0, facts) as path:
        table.local_steps(
            np.zeros((2, 5, 300)), np.ones((2, 5)),
            seed=0, runs=np.arange(2), round=0, steps=2, eta=0.1, rho=0.1,
        )  # fmt: skip
    blocks = path.launched[0][1].blocks
    assert blocks == 3
    work = rooms[1].reshape(blocks, 4, -1)[:, :, :300]  # z, g, x, v
    assert np.isfinite(work).all()


@pytest.mark.parametrize(
    ("clients", "d", "passes"),
    [(100, 1_000, 0), (100, 8_000, 0), (100, 10_000, 1), (1_000, 1_000, 0), (1_000, 3_000, 1),
     (16, 8_000, 1), (16, 1_000, 0), (1, 1_000_000, 1)],
)  # fmt: skip
def test_passes_are_taken_where_an_h200_is_faster_with_them(clients, d, passes):
    assert (plan(clients, model("kLogCosh", d), H200).passes is not None) == passes


@pytest.mark.parametrize(("d", "copies"), [(3, 1), (40, 0)])
def test_only_rows_that_the_host_reads_unpadded_are_padded(d, copies, monkeypatch):
    padded, real = [], device.aligned_rows
    monkeypatch.setattr(device, "aligned_rows", lambda rows: padded.append(d) or real(rows))
    H, x = np.ones((2, d, d)), np.arange(2.0 * d).reshape(1, 2, d)
    table = ClientLosses.quadratic(H, np.ones((2, d)), 0.0)
    with emulated():
        there = table.gradients(x)
    assert np.array_equal(there, table.gradients(x))
    assert len(padded) == copies
