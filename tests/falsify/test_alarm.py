"""What takes too long is ended, wherever the alarm rings."""

import gc
import random
import signal
import sys
import time
import weakref

import pytest

from theorylab.falsify.alarm import at_most

RUNG = r"not judged within 0\.2 s"


def state():
    handlers = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGPROF)
    timers = signal.getitimer(signal.ITIMER_REAL)[0], signal.getitimer(signal.ITIMER_PROF)[0]
    return handlers, timers, sys.unraisablehook


def endless(first=lambda: None):
    first()
    late = time.perf_counter() + 20.0  # a lost alarm fails a test, and hangs none
    while time.perf_counter() < late:
        pass


@pytest.mark.parametrize("processor", [False, True])
def test_what_takes_too_long_is_ended_by_either_clock_and_the_alarm_is_put_back(processor):
    before = state()
    with pytest.raises(TimeoutError, match=RUNG), at_most(0.2, processor):
        endless()
    with at_most(0.2, processor=True):
        time.sleep(0.5)  # sleeping takes none of the processor's time
    assert state() == before


class Slow:
    """Its finalizer is still at work when the alarm rings, and so loses it."""

    def __del__(self):
        late = time.perf_counter() + 0.4
        while time.perf_counter() < late:
            pass


def test_an_alarm_that_a_finalizer_loses_rings_again_and_nobody_is_told():
    # pytest would fail on an ignored exception that somebody is told of.
    before, began = state(), time.perf_counter()
    with pytest.raises(TimeoutError, match=RUNG), at_most(0.2):
        endless(Slow)
    assert time.perf_counter() - began < 5.0
    assert state() == before


@pytest.mark.parametrize("processor", [False, True])
def test_an_alarm_that_the_garbage_collector_loses_rings_again(processor):
    def slow(phase, info):
        if phase == "stop":
            Slow.__del__(None)

    gc.callbacks.append(slow)
    try:
        with pytest.raises(TimeoutError, match=RUNG), at_most(0.2, processor):
            endless(gc.collect)
    finally:
        gc.callbacks.remove(slow)


def test_of_two_alarms_the_one_that_was_lost_rings_again():
    with pytest.raises(TimeoutError, match=RUNG), at_most(0.2), at_most(30.0, processor=True):
        endless(Slow)
    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0


def test_others_ignored_errors_are_told_as_before(monkeypatch):
    class Broken:
        def __del__(self):
            raise ValueError("told")

    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda ignored: told.append(str(ignored.exc_value)))
    with at_most(5.0):
        Broken()
    assert told == ["told"]


def test_what_tries_something_else_where_something_fails_takes_no_alarm_for_a_failure():
    def stubborn():
        try:
            endless()
        except Exception:
            endless()

    began = time.perf_counter()
    with pytest.raises(TimeoutError, match=RUNG), at_most(0.2):
        stubborn()
    assert time.perf_counter() - began < 5.0


def test_an_alarm_at_the_very_beginning_or_end_leaves_nothing_behind():
    before, draw, rung = state(), random.Random(0), 0
    for _ in range(20_000):
        try:
            with at_most(draw.uniform(2e-6, 60e-6)):
                for _ in range(draw.randrange(60)):
                    pass
        except TimeoutError:
            rung += 1
        assert state() == before
    assert rung > 100


def test_what_was_being_computed_is_freed_at_once():
    class Large:
        pass

    gone = []

    def hold():
        held = Large()
        gone.append(weakref.ref(held))
        endless()

    gc.disable()
    try:
        with pytest.raises(TimeoutError), at_most(0.05):
            hold()
        assert gone[0]() is None
    finally:
        gc.enable()


def test_a_hook_that_the_body_sets_stays(monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # put back after the test
    told = []
    with at_most(5.0):
        sys.unraisablehook = told.append
    assert sys.unraisablehook == told.append


@pytest.mark.parametrize("seconds", [0.0, 1e300, float("inf")])
def test_no_limit_sets_no_alarm(seconds):
    before = state()
    with at_most(seconds):
        assert state() == before


def test_a_system_without_alarms_has_no_limit(monkeypatch):
    monkeypatch.delattr(signal, "setitimer")
    with at_most(1e-6):
        time.sleep(0.01)


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_no_time_is_refused(seconds):
    with pytest.raises(ValueError, match=r"^at_most: seconds is .*; need >= 0$"):
        at_most(seconds)
