"""The gate runs on after a failure, lists all of them, and knows a flaky test from a broken one."""

import importlib
import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".ci"


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """A gate, and a stand-in for pytest: what is "broken" fails, "shaky" fails beside others."""
    monkeypatch.syspath_prepend(str(FOLDER))
    module = importlib.import_module("gate")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "flaky.txt").write_text("# none\n")
    fake = tmp_path / ".venv" / "bin" / "pytest"
    fake.parent.mkdir(parents=True)
    fake.write_text(FAKE.format(python=sys.executable))
    fake.chmod(0o755)
    said = []
    made = module.Gate(tmp_path, said.append)
    made.said, made.module = said, module
    return made


FAKE = """#!{python}
import json, os, pathlib, re, sys
names = [word for word in sys.argv[1:] if "::" in word or word.endswith(".py")]
alone = len(names) == 1
failed = [n for n in names if "broken" in n or ("shaky" in n and not alone)]
if any("memory" in n for n in names):
    print("worker 'gw1' crashed while running 'a.py::test_memory'")
    failed.append("a.py::test_memory")
cache = re.search("cache_dir=(.*)", os.environ.get("PYTEST_ADDOPTS", ""))
if cache and failed:
    folder = pathlib.Path(cache[1], "v", "cache")
    folder.mkdir(parents=True)
    (folder / "lastfailed").write_text(json.dumps(dict.fromkeys(failed, True)))
print(len(names), "ran", os.environ.get("GIVEN", ""))
sys.exit(3 if "crash" in sys.argv else bool(failed))
"""


def of_tests(gate, *names, **more):
    return gate.module.Step("tests", [f".venv/bin/pytest {' '.join(names)}"], more)


def test_what_fails_hides_nothing_and_is_listed_with_the_line_that_repeats_it(gate):
    step = gate.module.Step
    assert not gate.step(step("first", ["echo one", "exit 7", "echo two"]))
    assert gate.step(step("second", ["echo three"]))
    assert not gate.step(step("third", ["false"], {"A": "b c"}))
    assert gate.ended() == 1
    text = "\n".join(gate.said)
    assert "one" in text
    assert "\ntwo" not in text
    assert "FAILED first: exit code 7: echo one && exit 7 && echo two" in gate.said
    assert "FAILED third: exit code 1: A='b c' false" in gate.said
    assert gate.said[-1] == "2 failed"
    assert sum(line.endswith("  second") for line in gate.said) == 1


def test_a_pipe_whose_first_part_fails_is_a_failure(gate):
    assert not gate.step(gate.module.Step("pipe", ["false | cat"]))


def test_a_test_that_passes_alone_is_told_as_flaky_and_passes(gate):
    assert gate.step(of_tests(gate, "a.py::test_shaky", "a.py::test_good"))
    assert gate.ended() == 0
    assert "flaky, passed alone: a.py::test_shaky (list it in tests/flaky.txt)" in gate.said


def test_a_test_that_fails_alone_too_is_a_failure_beside_a_flaky_one(gate):
    names = ("a.py::test_shaky", "a.py::test_broken[a b]", "a.py::test_good")
    assert not gate.step(of_tests(gate, *map("'{}'".format, names)))
    assert gate.ended() == 1
    (line,) = [line for line in gate.said if line.startswith("FAILED")]
    assert line == "FAILED tests: a test fails: .venv/bin/pytest 'a.py::test_broken[a b]'"


def test_a_listed_test_that_is_flaky_again_is_a_failure(gate):
    (gate.tree / "tests" / "flaky.txt").write_text("a.py::test_shaky\n")
    assert not gate.step(of_tests(gate, "a.py::test_shaky", "a.py::test_good"))
    assert "flaky again" in gate.outcomes[0].failed[0]


def test_an_end_of_pytest_itself_is_no_accident_whatever_failed_before_it(gate):
    assert not gate.step(of_tests(gate, "crash", "a.py::test_shaky", "a.py::test_good"))
    assert gate.flaky == []


def test_many_failures_are_no_accident(gate):
    many = [f"a.py::test_shaky{k}" for k in range(gate.module.AGAIN + 1)]
    assert not gate.step(of_tests(gate, *many))
    assert len(gate.flaky) == 0


def test_a_crash_of_memory_and_what_cannot_be_collected_are_no_accident(gate):
    assert not gate.step(of_tests(gate, "a.py::test_memory", "a.py::test_good"))
    assert not gate.step(of_tests(gate, "a.py::test_shaky", "broken.py"))
    assert gate.flaky == []


def test_a_step_that_does_not_end_is_ended_and_told(gate, monkeypatch):
    monkeypatch.setattr(gate.module, "LIMIT", 0.5)
    assert not gate.step(gate.module.Step("hangs", ["sleep 600 & wait"]))
    assert gate.outcomes[0].failed == ["exit code 124: sleep 600 & wait"]


def test_a_gate_that_breaks_tells_what_had_failed_before(gate):
    gate.step(gate.module.Step("first", ["false"]))
    gate.broke("Traceback\nKeyError: 1")
    assert gate.ended() == 1
    assert [line for line in gate.said if line.startswith("FAILED")] == [
        "FAILED first: exit code 1: false",
        "FAILED the gate: KeyError: 1",
    ]


def test_a_check_is_tried_alone_as_a_check(gate):
    assert not gate.step(of_tests(gate, "dfedpgp.thm1::printed::broken", "a.py::test_good"))
    assert gate.outcomes[0].failed == [
        "a test fails: .venv/bin/pytest --theorylab dfedpgp.thm1::printed::broken"
    ]


def test_steps_beside_each_other_do_not_mix_what_failed(gate):
    lanes = [
        [of_tests(gate, "a.py::test_shaky", "b.py::test_shaky")],
        [of_tests(gate, "c.py::test_c")],
    ]
    gate.together(lanes)
    assert gate.ended() == 0
    assert sorted(gate.flaky) == ["a.py::test_shaky", "b.py::test_shaky"]


def test_a_fourth_flaky_test_is_one_too_many(gate):
    (gate.tree / "tests" / "flaky.txt").write_text("a\nb\nc\nd\n")
    with pytest.raises(ValueError, match="lists 4 tests; need at most 3"):
        gate.module.listed(gate.tree)


def test_what_is_listed_as_flaky_is_there(gate):
    for name in [each for each in gate.module.listed(ROOT) if ".py::" in each]:
        file, _, function = name.partition("::")
        assert f"def {function.partition('[')[0].split('::')[-1]}(" in (ROOT / file).read_text()


def test_the_steps_are_those_of_the_readme_and_look_at_csrc_where_it_changed(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    steps = importlib.import_module("steps")
    first, second = steps.readme_commands(ROOT)
    assert first.endswith(" verify --quick")
    assert " pytest" in second.replace("bin/", " ")
    usual, touched = steps.after(["README.md"], "ab" * 6), steps.after(["csrc/a.cuh"], "ab" * 6)
    assert sum(map(len, touched)) == sum(map(len, usual)) + 2
    assert sum(map(len, steps.after(None, "ab" * 6))) == sum(map(len, touched))
    assert json.dumps([s.again for lane in usual for s in lane]).count("--draw abab") == 1
