"""The emulated devices are built when a test first wants them, of the sources as they are."""

import importlib
import subprocess
import sys
import types

import pytest
from theorylab_suite import emulated

from theorylab.kernels import _paths


@pytest.fixture
def tree(monkeypatch, tmp_path):
    """A tree of its own: ``runs`` lists the builds, whose exit code and stderr ``says`` holds."""
    made = types.SimpleNamespace(runs=[], says=(0, ""), source=tmp_path / "loops.hpp")
    target = tmp_path / "theorylab/_emulated.so"
    target.parent.mkdir()
    made.source.write_text("one")

    def run(command, **given):
        made.runs.append((command[1:], given["env"]))
        target.touch()
        return subprocess.CompletedProcess(command, made.says[0], "", made.says[1])

    monkeypatch.setattr(emulated.subprocess, "run", run)
    monkeypatch.setattr(emulated, "_SOURCES", (str(made.source),))
    monkeypatch.setattr(emulated, "_TARGET", target)
    monkeypatch.setattr(emulated, "_NOTE", tmp_path / "build/emulated.made_of")
    monkeypatch.setattr(emulated, "_failed", [])
    made.folder = [str(target.parent)]
    return made


def wanted(folder, name=emulated.NAME):
    """What an import statement asks of the finder."""
    assert emulated.Finder().find_spec(name, folder) is None  # the usual finders load it


def test_one_build_serves_until_a_source_changes(tree, monkeypatch):
    monkeypatch.setenv("THEORYLAB_SANITIZE", "address")
    wanted(tree.folder)
    wanted(tree.folder)
    ((command, settings),) = tree.runs
    assert command == ["setup.py", "-q", "build_emulated"]
    assert settings["THEORYLAB_CUDA"] == "0"
    assert "THEORYLAB_SANITIZE" not in settings
    tree.source.write_text("two")
    wanted(tree.folder)
    wanted(tree.folder)
    assert len(tree.runs) == 2
    monkeypatch.setenv("CXX", "another compiler")
    wanted(tree.folder)
    assert len(tree.runs) == 3
    emulated._TARGET.unlink()
    wanted(tree.folder)
    assert len(tree.runs) == 4


def test_nothing_is_built_for_other_modules_or_for_an_installed_theorylab(tree, tmp_path):
    wanted(tree.folder, "theorylab._core")
    wanted([str(tmp_path / "site-packages/theorylab")])
    wanted(None)
    assert tree.runs == []


def test_a_build_that_fails_is_one_line_for_each_test_and_is_tried_once(tree):
    tree.says = (1, "In file included from module.cpp\nmodule.cpp:3: error: what is this\nmore\n")
    for _ in range(2):
        with pytest.raises(ImportError) as error:
            wanted(tree.folder)
        assert str(error.value) == (
            "theorylab._emulated: python setup.py -q build_emulated failed: "
            "module.cpp:3: error: what is this"
        )
    assert len(tree.runs) == 1
    assert not emulated._NOTE.exists()  # the next process tries again


def test_the_tests_ask_this_finder_before_any_other_and_once():
    emulated.install()
    kinds = [type(finder).__qualname__ for finder in sys.meta_path]
    assert kinds.count("Finder") == 1


def test_without_them_one_line_says_how_to_get_them(monkeypatch):
    monkeypatch.setitem(sys.modules, emulated.NAME, None)
    with pytest.raises(ImportError) as error:
        _paths.AsLoops()
    text = str(error.value)
    assert "\n" not in text
    assert text.startswith("no GPU is emulated (import of theorylab._emulated halted")
    assert text.endswith("need python setup.py build_emulated in a clone of theorylab, on Linux")
    gpu = importlib.import_module("theorylab.bench.gpu")
    with pytest.raises(gpu.NotEmulatedError) as found:
        gpu.run(dry=True)
    assert gpu.no_gpu(found.value) == f"bench: {text}"
