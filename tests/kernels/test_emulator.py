"""The emulated grid: right bodies give one answer in every order, wrong ones are found out."""

import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
CSRC = HERE.parents[1] / "csrc"
LATE, AT_ONCE = (0, 1, 2), (3, 4, 5)  # when copies arrive; within each: order of threads


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    program = tmp_path_factory.mktemp("emulator") / "cases"
    command = ["g++", "-O1", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{CSRC}"]
    command += [str(HERE / "emulator_cases.cpp"), str(CSRC / "emulated/loops.cpp")]
    subprocess.run([*command, "-o", str(program)], check=True)

    def answers(name, blocks=2, threads=64, shared=1024, orders=(*LATE, *AT_ONCE)):
        given = [[name, *map(str, (blocks, threads, shared, order))] for order in orders]
        made = [
            subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout
            for words in given
        ]
        return [
            text.strip() if text.startswith("error") else [float(v) for v in text.split()]
            for text in made
        ]

    return answers


def test_a_barrier_makes_every_order_agree(run):
    want = [64 * block + (t + 1) % 64 + 1 for block in range(2) for t in range(64)]
    assert run("neighbour") == [want] * 6


def test_a_missing_barrier_shows_as_bits_that_depend_on_the_order(run):
    forward, backward, odd_first = map(str, run("no barrier", orders=LATE))
    assert len({forward, backward, odd_first}) == 3
    assert "nan" in forward  # what nobody had written yet


def test_a_warp_barrier_is_one_for_the_warp(run):
    assert run("warp neighbour") == [[t ^ 31 for t in range(64)] * 2] * 6


@pytest.mark.parametrize("name", ["part of block", "part of warp", "leaves early"])
def test_a_barrier_that_a_part_reaches_is_an_error(name, run):
    for answer in run(name):
        assert answer.startswith("error: a barrier was reached by a part of its threads only (bl")


def test_warps_are_independent(run):
    want = [-1.0] * 32 + [float(t ^ 3) for t in range(32, 64)]
    assert run("whole warps") == [want * 2] * 6


def test_a_sum_over_lanes_is_the_same_in_all_lanes_and_orders(run):
    parts = [1.0 / (1 + t) for t in range(64)]
    want = []
    for warp in (parts[:32], parts[32:]):
        for mask in (16, 8, 4, 2, 1):
            warp = [warp[t] + warp[t ^ mask] for t in range(32)]
        assert len(set(warp)) == 1
        want += warp
    assert run("sum of warp") == [want * 2] * 6


def test_a_ballot_is_the_same_in_all_lanes_of_a_warp(run):
    masks = [sum(1 << t % 32 for t in range(w, w + 32) if t % 3 == 0) for w in (0, 32)]
    want = [float(masks[w] + (w << 32)) for w in (0, 1) for _ in range(32)]
    assert run("ballots") == [want * 2] * 6


def test_writing_past_shared_memory_is_an_error(run):
    assert all(
        "shared memory was written past its end" in a for a in run("past the end", shared=64)
    )
    assert run("past the end", shared=128) == [[-1.0] * 128] * 6


@pytest.mark.parametrize("name", ["unwritten", "left behind"])
def test_what_no_thread_of_a_block_wrote_is_nan(name, run):
    for answer in run(name):
        own = answer[:64]
        assert all(v == (1.0 if name == "left behind" else v) for v in own) or own[0] != own[0]
        assert all(v != v for v in answer[64:])


@pytest.mark.parametrize(("left", "seen"), [(0, 3), (1, 1), (2, 0)])
def test_a_copy_arrives_at_its_groups_wait_and_not_before(left, seen, run):
    assert run(f"two copies, all but {left}", orders=LATE) == [[float(seen)] * 128] * 3
    assert run(f"two copies, all but {left}", orders=AT_ONCE) == [[3.0] * 128] * 3


def test_a_copy_of_no_group_never_arrives(run):
    assert all("a thread left before its copies arrived" in a for a in run("uncommitted"))


def test_another_threads_copy_needs_a_barrier(run):
    for orders in (LATE, AT_ONCE):
        assert len(set(map(str, run("others' copy", orders=orders)))) == 3


def test_a_copy_into_what_others_still_read_is_seen_when_copies_arrive_at_once(run):
    late = run("read after", 1, orders=LATE)
    assert late == [[float(63 - t) for t in range(64)]] * 3
    assert all(answer != late[0] for answer in run("read after", 1, orders=AT_ONCE))


@pytest.mark.parametrize("name", ["odd target", "odd source", "odd store"])
def test_an_unaligned_packet_is_an_error(name, run):
    assert all("is not aligned" in answer for answer in run(name))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (("nothing<float>", 1, 32, 0, [], 0), "no schedule is named nothing<float>"),
        (("push_weights<float>", 1, 32, 0, [1], 0), "got 1 arguments; need 7"),
        (("push_weights<float>", 0, 32, 0, [0] * 7, 0), "need blocks >= 1 and 32 to 1024 threads"),
        (("push_weights<float>", 1, 33, 0, [0] * 7, 0), "threads=33; need blocks >= 1"),
        (("push_weights<float>", 1, 2048, 0, [0] * 7, 0), "threads=2048; need blocks >= 1"),
        (("push_weights<float>", 1, 32, -1, [0] * 7, 0), "need blocks >= 1"),
    ],
)
def test_a_call_that_is_no_grid_is_refused(call, text, loops):
    with pytest.raises(ValueError, match=text):
        loops.launch(*call)


def test_a_gate_holds_every_thread_until_its_bytes_are_there(run):
    want = [float(2 * (t % 16) + 16) for t in range(64)] * 2
    assert run("gate") == [want] * 6


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gate, other bytes", "wait_gate: other bytes than expected"),
        ("gate, no wait", "expect: the phase before has not ended"),
        ("nobody expects", "wait_gate: nobody expects bytes"),
    ],
)
def test_a_gate_that_is_used_wrongly_is_an_error(name, message, run):
    for answer in run(name):
        assert answer.startswith(f"error: {message}")
