"""What a call costs the host is measured without the device's time, for ours and its peers."""

from theorylab.bench import _gpu_calls as module
from theorylab.bench._gpu_board import DryBoard


def test_every_way_of_a_call_has_its_time(monkeypatch):
    mix, products = {"n": 20, "d": 30, "column": 5}, module.HVP | {"n": 2, "m": 5, "d": 6}
    monkeypatch.setattr(module, "MIX", mix)
    monkeypatch.setattr(module, "HVP", products)
    first, second = module.calls(DryBoard())
    assert (first["call"], first["sizes"]) == ("push_mix", mix)
    assert (second["call"], second["sizes"]) == ("glm_hvp", products)
    ours = {"prepared, out=", "prepared, fresh results", "a SciPy matrix"}
    assert {f"theorylab, {way}" for way in ours} | {"torch dense out="} <= set(first["us"])
    assert {"theorylab, out=", "torch bmm out="} == set(second["us"])
    for row in (first, second):
        assert row["us"].keys() == row["spread"].keys() == row["settled"].keys()
        assert all(us > 0 for us in row["us"].values())
        assert row["lacking"] == {}


def test_what_the_device_does_after_a_call_is_no_time_of_the_host(monkeypatch):
    clock = [0.0]

    class Slow(DryBoard):
        def wait(self):
            clock[0] += 5.0

    def call():
        clock[0] += 0.25

    monkeypatch.setattr(module.time, "perf_counter", lambda: clock[0])
    assert module._each(Slow(), call, 4) == 0.25


def test_a_way_that_fails_is_named_with_its_reason():
    row = module._row(DryBoard(), "push_mix", {}, {"a": lambda: 1 / 0, "b": lambda: None})
    assert row["lacking"] == {"a": "ZeroDivisionError: division by zero"}
    assert set(row["us"]) == {"b"}
