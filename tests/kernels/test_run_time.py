"""What is compiled at run time: from which sources, with which memory, on whose stream."""

import importlib
import pathlib
import types

import pytest

from theorylab.kernels import _paths


def test_a_function_is_never_asked_for_less_memory_than_another_cut_needs():
    given = types.SimpleNamespace(max_dynamic_shared_size_bytes=0)
    function = _paths._Function(given)
    for shared, share in ((60_000, 30), (50_000, 30), (70_000, 10)):
        function.ask(shared, share)
        assert given.max_dynamic_shared_size_bytes >= shared
        assert given.preferred_shared_memory_carveout == share


def test_options_carry_a_hash_of_every_source(monkeypatch, tmp_path):
    before = _paths.options()
    assert {"--fmad=false", "-std=c++17"} <= set(before)
    assert (_paths.sources() / "cuda/schedules.hpp").exists()
    (tmp_path / "a.cuh").write_text("1")
    monkeypatch.setattr(_paths, "sources", lambda: tmp_path)
    first = _paths.options.__wrapped__()
    (tmp_path / "a.cuh").write_text("2")
    second = _paths.options.__wrapped__()
    assert first[:-1] == second[:-1]
    assert first[-1] != second[-1]


def test_the_stream_handle_is_one_that_cupy_takes():
    cupy = pytest.importorskip("cupy")
    assert cupy.cuda.Stream.from_external(_paths._Stream(12345)).ptr == 12345


def test_sources_are_a_checkouts_where_none_are_installed(monkeypatch, tmp_path):
    real = importlib.import_module

    def missing(name):
        if name == "theorylab._csrc":
            raise ImportError("No module named 'theorylab._csrc'")
        return real(name)

    monkeypatch.setattr(_paths.importlib, "import_module", missing)
    assert _paths.sources() == pathlib.Path(_paths.__file__).parents[2] / "csrc"
    monkeypatch.setattr(_paths, "__file__", str(tmp_path / "theorylab/kernels/_paths.py"))
    with pytest.raises(ImportError, match=r"theorylab\._csrc"):
        _paths.sources()
