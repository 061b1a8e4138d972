"""A sample of the hostile calls shows nothing red, and what is red would be seen."""

import os
import pathlib
import signal
import subprocess
import sys
import time
import types

import pytest

VERIFY = pathlib.Path(__file__).resolve().parents[1] / "verify"


@pytest.fixture
def hostile(monkeypatch):
    monkeypatch.syspath_prepend(str(VERIFY))
    import hostile

    return hostile


def test_a_sample_of_hostile_calls_shows_nothing_red():
    done = subprocess.run(
        [sys.executable, str(VERIFY / "hostile.py"), "--calls", "18", "--seed", "3"],
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout
    name, calls, refused, *red = done.stdout.splitlines()[-2].split()
    assert (name, calls, red) == ("all", "18", ["0"] * 7)
    assert 3 <= int(refused) <= 15  # some are good calls, most are not


def refusal(count):
    for _ in range(count):
        print("theorylab: wrong", file=sys.stderr)
    return 2


def violated():
    print('"verdict": "VIOLATED"')
    return 1


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda: 0, []),
        (lambda: refusal(1), []),
        (lambda: 3, ["codes"]),
        (lambda: refusal(2), ["lines"]),
        (lambda: refusal(0), ["lines"]),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), ["signals"]),
        (lambda: 1 / 0, ["tracebacks", "codes"]),
        (violated, ["verdicts"]),
    ],
)
def test_what_is_red_is_seen(hostile, make, wrong):
    call = hostile.Call("x", "x", lambda folder: make(), line="wrong", wrong=("VIOLATED",))
    assert hostile.made(call)[0] == wrong


def test_what_is_asleep_when_its_time_is_over_hangs(hostile, monkeypatch, tmp_path):
    mark = tmp_path / "asleep"

    def sleep(folder):
        mark.touch()
        time.sleep(60)
        return 0

    # a clock that stands still until the call is asleep, and is then beyond every limit
    clock = types.SimpleNamespace(monotonic=lambda: 1e9 * mark.exists(), sleep=time.sleep)
    monkeypatch.setattr(hostile, "time", clock)
    assert hostile.made(hostile.Call("x", "x", sleep, line="wrong", wrong=()))[0] == ["hangs"]


def test_a_long_run_that_told_its_price_is_no_hang(hostile):
    for told, wrong in (("cost 17 gradients; Ctrl-C ends it", []), ("", ["hangs"])):
        call = hostile.Call("x", "x", None, line=None, wrong=())
        assert hostile.judged(call, signal.SIGKILL, True, "", told) == wrong


def test_a_call_is_a_function_of_seed_and_number(hostile):
    texts = [[hostile.drawn(1, k).text for k in range(30)] for _ in range(2)]
    assert texts[0] == texts[1]
    assert len({hostile.drawn(2, k).text for k in range(30)} - set(texts[0])) > 20
