"""Public names and built-in members, each imported when somebody asks for it."""

import json
import subprocess
import sys

import pytest

import theorylab.kernels
from theorylab import lazy, registry


def fresh(code):
    """What the code prints, as JSON, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_sources_name_every_member_that_the_package_registers():
    """What is read of class statements is what there is once every public name is imported."""
    registered = fresh("""
import importlib, json, pkgutil, sys, theorylab
from theorylab import lazy, registry
for room in lazy.ROOMS.values():
    home = importlib.import_module("theorylab." + room.removesuffix(".py").replace("/", "."))
    path = getattr(home, "__path__", ())
    for found in pkgutil.walk_packages(path, f"theorylab.{room}."):
        importlib.import_module(found.name)
print(json.dumps({
    kind: {name: e.module for name, e in each._entries.items() if e.built_in}
    for kind, each in registry._TABLES.items()
}))
""")
    assert {kind: names for kind, names in registered.items() if names} == lazy.kept()


def test_a_member_is_found_by_its_class_statement_alone(monkeypatch, tmp_path):
    folder = tmp_path / "topologies"
    folder.mkdir()
    (folder / "mine.py").write_text(
        'class Base:\n    ...\n\n\nclass Mine(\n    Base, name="my-ring"\n):\n    ...\n'
    )
    monkeypatch.setattr(lazy, "FILE", tmp_path / "members.json")
    assert lazy.written("topology") == {"my-ring": "theorylab.topologies.mine"}
    assert lazy.written("of-a-user") == {}


def test_a_copy_of_a_module_takes_no_built_in_name(monkeypatch, tmp_path):
    (tmp_path / "topologies").mkdir()
    monkeypatch.setattr(lazy, "FILE", tmp_path / "members.json")
    for name in ("ring.py", "ring copy.py"):
        (tmp_path / "topologies" / name).write_text('class Ring(Base, name="ring"):\n    ...\n')
    (tmp_path / "topologies/.#ring.py").symlink_to("of-an-editor")
    assert lazy.written("topology") == {"ring": "theorylab.topologies.ring"}
    (tmp_path / "topologies/ring copy.py").rename(tmp_path / "topologies/ring_too.py")
    both = "is in theorylab.topologies.ring and in theorylab.topologies.ring_too"
    with pytest.raises(ValueError, match=f"^the topology 'ring' {both}; need another name$"):
        lazy.written("topology")


def test_a_wheel_brings_the_members_in_a_file(monkeypatch, tmp_path):
    (tmp_path / "members.json").write_text(json.dumps({"topology": {"ring": "theorylab.there"}}))
    monkeypatch.setattr(lazy, "FILE", tmp_path / "members.json")
    assert lazy.waiting.__wrapped__("topology") == {"ring": "theorylab.there"}
    assert lazy.waiting.__wrapped__("of-a-user") == {}


def test_a_name_brings_its_own_module_alone():
    loaded = fresh(
        "import json, sys; from theorylab.problems import problem; problem('quadratic', 2);"
        "from theorylab.topologies import topology; topology('directed-ring', 4);"
        "from theorylab.algorithms import algorithm; algorithm('dfedsgpsm', eta=.1);"
        "print(json.dumps([*sys.modules]))"
    )
    members = lazy.kept()
    brought = {name for each in members.values() for name in each.values() if name in loaded}
    asked = {("problem", "quadratic"), ("topology", "directed-ring"), ("algorithm", "dfedsgpsm")}
    assert brought == {members[kind][name] for kind, name in asked}
    slow = {"scipy.stats", "scipy.optimize", "torch", "matplotlib", "networkx", "sklearn", "rich"}
    assert slow & {*loaded} == set()


def test_judging_imports_nothing_that_a_check_may_not_need():
    loaded = fresh(
        "import json, sys; from theorylab.verdicts import judge; print(json.dumps([*sys.modules]))"
    )
    assert "theorylab.verdicts.judge" in loaded
    slow = {"scipy.stats", "scipy.optimize", "scipy.special", "scipy.linalg", "scipy.sparse"}
    slow |= {"theorylab.data.load", "theorylab.explain", "theorylab.report"}
    slow |= {"torch", "matplotlib", "networkx", "sklearn", "hypothesis", "pandas", "jinja2", "rich"}
    assert slow & {*loaded} == set()
    members = {name for each in lazy.kept().values() for name in each.values()}
    assert members & {*loaded} == set()


def test_a_module_does_not_hide_the_public_name_that_it_shares():
    names = fresh(
        "import json, theorylab.kernels.push_mix, theorylab.hypergradients.pdbo;"
        "from theorylab.kernels import push_mix; from theorylab.hypergradients import pdbo;"
        "print(json.dumps([type(each).__name__ for each in (push_mix, pdbo)]))"
    )
    assert names == ["function", "function"]


def test_every_public_name_is_found_after_every_module_is_imported():
    wrong = fresh("""
import importlib, json, pkgutil, sys, theorylab, types
for found in pkgutil.iter_modules(theorylab.__path__):
    importlib.import_module(f"theorylab.{found.name}")
packages = [each for each in [*sys.modules.values()] if hasattr(each, "_homes")]
for home in [home for each in packages for home in each._homes.values()]:
    importlib.import_module(home)
print(json.dumps([
    f"{each.__name__}.{name}" for each in packages for name, home in each._homes.items()
    if getattr(each, name) is not getattr(sys.modules[home], name)
    or isinstance(getattr(each, name), types.ModuleType)
] + ["no package"] * (len(packages) < 10)))
""")
    assert wrong == []


def test_a_package_lists_every_public_name_and_refuses_others():
    assert set(theorylab.kernels.__all__) <= set(dir(theorylab.kernels))
    with pytest.raises(AttributeError, match=r"'theorylab\.kernels' has no attribute 'nothing'"):
        _ = theorylab.kernels.nothing


def test_a_built_in_name_is_taken_before_its_module_is_imported():
    told = fresh(
        "import json\n"
        "from theorylab.problems import Problem\n"
        "try:\n    class Mine(Problem, name='pinwheel'): pass\n"
        "except ValueError as error: print(json.dumps(str(error)))"
    )
    assert "the name 'pinwheel' is taken: theorylab/problems/pinwheel.py, line" in told


def test_what_is_imported_where_a_table_is_put_back_stays():
    kinds = fresh(
        "import json\n"
        "from theorylab import registry\n"
        "from theorylab.problems import PROBLEMS, Problem\n"
        "with registry.restored():\n"
        "    class Mine(Problem, name='mine'): pass\n"
        "    PROBLEMS['pinwheel']\n"
        "print(json.dumps(['mine' in PROBLEMS, PROBLEMS['pinwheel'].__name__, len(PROBLEMS)]))"
    )
    assert kinds == [False, "Pinwheel", len(lazy.kept()["problem"])]


def test_every_table_knows_its_names_without_importing_a_member():
    for kind, names in lazy.kept().items():
        assert set(names) <= set(registry.table(kind))
