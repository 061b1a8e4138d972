"""Public names and built-in members, each imported when somebody asks for it."""

import json
import pathlib
import re
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


def test_every_class_that_names_itself_is_in_the_file_of_members():
    """As the source is spelled: what a process has imported by chance makes no difference."""
    named = re.compile(r'^class \w+\([^)]*\bname="([^"]+)"', re.MULTILINE)
    package = pathlib.Path(lazy.FILE).parent
    written = {
        (name, ".".join(path.relative_to(package.parent).with_suffix("").parts))
        for path in package.rglob("*.py")
        for name in named.findall(path.read_text())
    }
    told = {each for names in lazy.kept().values() for each in names.items()}
    assert told == written, "python verify/counts.py writes theorylab/members.json"


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
    loaded = fresh("import json, sys, theorylab.verdicts; print(json.dumps([*sys.modules]))")
    slow = {"scipy.stats", "scipy.optimize", "scipy.special", "scipy.linalg", "scipy.sparse.linalg"}
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
import importlib, json, sys, types
from theorylab.lazy import members
members()
packages = [each for each in [*sys.modules.values()] if hasattr(each, "_homes")]
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
