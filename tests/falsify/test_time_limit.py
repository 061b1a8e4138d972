"""What takes too long is ended, wherever the alarm rings.

Most alarms here are set to the far future and rung by hand, at the place that the test is about.
"""

import contextlib
import gc
import itertools
import random
import signal
import sys
import time
import weakref
from types import SimpleNamespace

import pytest

from theorylab.falsify.time_limit import _Alarm, _Late, at_most

RUNG = r"not judged within 0\.2 s"
FAR, SOON = 1e6, 1e3  # seconds, which no test takes
FAR_RUNG = r"not judged within 1000000\.0 s"
OWN = (_Alarm.__enter__.__code__, _Alarm.__exit__.__code__)


def state():
    handlers = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGPROF)
    timers = signal.getitimer(signal.ITIMER_REAL)[0], signal.getitimer(signal.ITIMER_PROF)[0]
    return handlers, timers, sys.unraisablehook


def endless(first=lambda: None):
    """It is to be ended at once. An alarm that is lost fails a test, and hangs none: these are
    seconds of this thread, of which either clock of an alarm counts at least as many."""
    first()
    late = time.thread_time() + 5.0
    while time.thread_time() < late:
        pass
    pytest.fail("no alarm rang")  # no Exception either


def ring(processor=False):
    """The alarm rings now, if one is set: without a handler the signal would end the process."""
    heard = signal.SIGPROF if processor else signal.SIGALRM
    if callable(signal.getsignal(heard)):
        signal.raise_signal(heard)


@pytest.mark.parametrize("processor", [False, True])
def test_what_takes_too_long_is_ended_by_either_clock_and_the_alarm_is_put_back(processor):
    before = state()
    with pytest.raises(TimeoutError, match=RUNG), at_most(0.2, processor):
        endless()
    with at_most(FAR, processor):
        timers = signal.getitimer(signal.ITIMER_REAL)[0], signal.getitimer(signal.ITIMER_PROF)[0]
    assert [seconds > 0 for seconds in timers] == [not processor, processor]
    assert state() == before


class Slow:
    """Its finalizer is still at work when the alarm rings, and so loses it."""

    def __del__(self):
        ring()


def test_an_alarm_that_a_finalizer_loses_rings_again_and_nobody_is_told():
    # pytest would fail on an ignored exception that somebody is told of.
    before = state()
    with pytest.raises(TimeoutError, match=FAR_RUNG), at_most(FAR):
        endless(Slow)
    assert state() == before


@pytest.mark.parametrize("processor", [False, True])
def test_an_alarm_that_the_garbage_collector_loses_rings_again(processor):
    def slow(phase, info):
        if phase == "stop":
            gc.callbacks.remove(slow)
            ring(processor)

    def collected():
        gc.callbacks.append(slow)
        gc.collect()

    with pytest.raises(TimeoutError, match=FAR_RUNG), at_most(FAR, processor):
        endless(collected)
    assert slow not in gc.callbacks


def test_an_alarm_that_is_lost_after_its_end_is_not_set_again():
    with (alarm := at_most(FAR)):
        pass
    alarm._lost(SimpleNamespace(exc_value=_Late(alarm)))
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_an_alarm_that_rings_in_what_its_end_calls_is_over(monkeypatch):
    alarm, put = at_most(FAR), signal.signal

    def late(number, handler):
        if alarm.over:
            alarm._ring(number, sys._getframe())
        return put(number, handler)

    monkeypatch.setattr(signal, "signal", late)
    before = state()
    with alarm:
        pass
    assert state() == before


def test_of_two_alarms_the_one_that_was_lost_rings_again():
    outer, inner = at_most(FAR), at_most(2 * FAR, processor=True)
    with pytest.raises(TimeoutError, match=FAR_RUNG), outer, inner:
        endless(Slow)
    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0


def test_others_ignored_errors_are_told_as_before(monkeypatch):
    class Broken:
        def __del__(self):
            raise ValueError("told")

    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda ignored: told.append(str(ignored.exc_value)))
    with at_most(FAR):
        Broken()
    assert told == ["told"]


def test_what_tries_something_else_where_something_fails_takes_no_alarm_for_a_failure():
    def stubborn():
        with contextlib.suppress(Exception):
            ring()
        endless()

    with pytest.raises(TimeoutError, match=FAR_RUNG), at_most(FAR):
        stubborn()


def rung_at(place):
    """Ring one alarm at the ``place``-th instruction of its own, of those where it can ring.

    Returns the code in which it rang, None where it has fewer instructions, and whether it was set
    once more. A trace calls the alarm's handler as Python does between two instructions.
    """
    rung, again, places = None, False, itertools.count(1)

    def trace(frame, event, _):
        nonlocal rung
        if frame.f_code not in OWN:
            return None
        frame.f_trace_opcodes = True
        handler = signal.getsignal(signal.SIGALRM)
        begun = frame.f_code is OWN[1] or signal.getitimer(signal.ITIMER_REAL)[0]
        if event == "opcode" and begun and callable(handler) and next(places) == place:
            rung = frame.f_code
            handler(signal.SIGALRM, frame)
        return trace

    others = sys.gettrace()
    sys.settrace(trace)
    try:
        with at_most(FAR):
            again = signal.getitimer(signal.ITIMER_REAL)[0] <= SOON
    finally:
        sys.settrace(others)
    return rung, again


def test_an_alarm_at_any_instruction_of_its_beginning_or_end_leaves_nothing_behind(monkeypatch):
    monkeypatch.setattr(
        "theorylab.falsify.time_limit._AGAIN", SOON
    )  # so late that it does not ring
    before, seen = state(), set()
    for place in itertools.count(1):
        rung, again = rung_at(place)
        assert state() == before
        assert again == (rung is OWN[0])
        if rung is None:
            break
        seen.add(rung)
    assert seen == set(OWN)


def test_an_alarm_at_the_very_beginning_or_end_leaves_nothing_behind():
    before, draw, rung = state(), random.Random(0), 0
    for _ in range(10**6):  # few are needed: a busy machine is slower, and then more of them ring
        try:
            with at_most(draw.uniform(2e-6, 60e-6)):
                for _ in range(draw.randrange(60)):
                    pass
        except TimeoutError:
            rung += 1
        assert state() == before
        if rung > 100:
            return
    pytest.fail(f"{rung} alarms rang")


def test_what_was_being_computed_is_freed_at_once():
    class Large:
        pass

    gone = []

    def hold():
        held = Large()
        gone.append(weakref.ref(held))
        ring()
        endless()

    gc.disable()
    try:
        with pytest.raises(TimeoutError), at_most(FAR):
            hold()
        assert gone[0]() is None
    finally:
        gc.enable()


def test_a_hook_that_the_body_sets_stays(monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # put back after the test
    told = []
    with at_most(FAR):
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
