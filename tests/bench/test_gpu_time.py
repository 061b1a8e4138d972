"""Times on the device's clock hold nothing of the host's, or say that they may."""

import pytest

from theorylab.bench import _gpu_board as module
from theorylab.bench._gpu_time import Leader, Times, timed


class Device(module.DryBoard):
    """A device beside a host, with a clock each in place of time: a cycle is a nanosecond.

    What the host queues begins when the device is free, and never before it was queued.
    """

    emulated = False

    def __init__(self):
        super().__init__()
        self.now = self.free_at = 0.0

    def queue(self, seconds):
        self.free_at = max(self.free_at, self.now) + seconds

    def host(self, seconds):
        self.now += seconds

    def mark(self):
        self.queue(0.0)
        return self.free_at

    def passed(self, mark):
        return mark <= self.now

    def between(self, first, last):
        return last - first

    def spin(self, cycles):
        self.queue(cycles * 1e-9)

    def wait(self):
        self.now = max(self.now, self.free_at)


def call(device, python, kernel):
    """A call that costs the host, and then the device."""

    def run():
        device.host(python())
        device.queue(kernel)

    return run


def test_a_time_holds_nothing_of_the_host_however_long_it_takes_to_queue():
    device = Device()
    leader = Leader(device)
    for python in (0.0, 1e-4, 3e-3):
        seconds, led = leader.timed(call(device, lambda: python, 2e-5), 1e-4)  # noqa: B023
        assert led
        assert seconds == pytest.approx(2e-5, rel=1e-6)


def test_a_host_that_is_slow_once_is_timed_again_behind_a_longer_lead():
    device, costs = Device(), iter([9e-4, 1e-5])
    seconds, led = Leader(device).timed(call(device, lambda: next(costs), 2e-5), 1e-5)
    assert led
    assert seconds == pytest.approx(2e-5, rel=1e-6)
    assert next(costs, None) is None


def test_a_call_that_waits_for_the_device_is_not_settled():
    device = Device()

    def waits():
        device.wait()
        device.host(1e-4)
        device.queue(2e-5)

    (times,) = timed(device, Leader(device), {"a": [waits]}, 3).values()
    assert times.unled == 3
    assert not times.settled


@pytest.mark.parametrize(
    ("seconds", "settled"), [([1.0, 1.05, 1.3], True), ([0.9, 1.05, 1.06], False), ([2.0], True)]
)
def test_times_are_settled_where_the_least_is_within_a_tenth_of_the_median(seconds, settled):
    assert Times(seconds).settled == settled
    assert not Times(seconds, unled=1).settled


def test_contestants_take_turns_over_their_arrays_on_the_devices_clock():
    seen, device = [], Device()

    def one(name, cost):
        def run():
            seen.append(name)
            device.queue(cost)

        return run

    functions = {"a": [one("a0", 1), one("a1", 2)], "b": [one("b0", 5)]}
    leader = Leader(device)
    made = timed(device, leader, functions, 0)
    assert {name: times.seconds for name, times in made.items()} == {"a": [], "b": []}
    assert seen == [*("a0", "a1") * 2, *("b0",) * 2]
    seen.clear()
    made = timed(device, leader, functions, 3)
    assert seen[6:] == ["a0", "b0", "a1", "b0", "a0", "b0"]
    assert made["a"].seconds == pytest.approx([1, 2, 1])
    assert made["b"].seconds == pytest.approx([5, 5, 5])
