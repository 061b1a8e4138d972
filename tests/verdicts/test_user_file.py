"""A user's file decides no exit code, and a module beside it is part of what is judged."""

import os
import pathlib
import signal
import sys

import pytest

from theorylab.user_file import load, local_files
from theorylab.verdicts import Job, UserFaultError, guarded, jobs, judge, selected

TEXT = (pathlib.Path(__file__).parent / "user_theorem.py").read_text()
FACTOR = "from helper import FACTOR\n" + TEXT.replace("2 * (f0 - f_star)", "FACTOR * (f0 - f_star)")


def saved(folder, text, name="my.py"):
    path = folder / name
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("import sys; sys.exit(0)", "SystemExit: 0"),
        ("raise SystemExit", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit('x')", "GeneratorExit: x"),
        ("raise type('Own', (BaseException,), {})('mine')", "Own: mine"),
        ("raise type('Bad', (Exception,), {'__str__': lambda self: 1 / 0})", "Bad"),
        ("def f(): f()\nf()", "RecursionError: maximum recursion depth exceeded"),
        ("import theorylab.nothing", "ModuleNotFoundError: No module named 'theorylab.nothing'"),
        ("from theorylab.problems import problem; problem('none', 1)", "ValueError: problem: no"),
    ],
)
def test_whatever_a_file_raises_is_one_line_with_its_own(tmp_path, line, what):
    path = saved(tmp_path, f"# a comment\n{line}\n")
    with pytest.raises(UserFaultError, match=r"\Amy\.py, line 2: ") as caught:
        selected([path])
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [b"\0", b"\xff", b"(" * 9000, b"x = 1\n\n  y = 2\n"])
def test_a_file_that_is_no_python_is_one_line(tmp_path, text):
    path = tmp_path / "my.py"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"\Amy\.py") as caught:
        selected([str(path)])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.default_int_handler])
def test_a_file_that_raises_what_ctrl_c_raises_is_told_apart(tmp_path, handler):
    path = saved(tmp_path, "raise KeyboardInterrupt\n")
    before = signal.signal(signal.SIGINT, handler)  # ignored: as in a job that a script starts
    try:
        with pytest.raises(UserFaultError, match="line 1: KeyboardInterrupt"):
            selected([path])
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "after", ["raise", "raise ValueError('mine') from None", "raise SystemExit"]
)
def test_a_ctrl_c_is_the_user_s_and_passes_whatever_the_file_makes_of_it(tmp_path, request, after):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    # as if the user pressed it while this line runs
    pressed = "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n"
    loop = "    for _ in range(10**6):\n        pass\n"  # it ends where nobody listens
    path = saved(tmp_path, f"{pressed}{loop}except KeyboardInterrupt:\n    {after}\n")
    with pytest.raises(KeyboardInterrupt):
        selected([path])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_theorylab_gets_wrong_is_not_the_file_s(tmp_path):
    selected([saved(tmp_path, TEXT)])
    for error in (KeyError("a"), ValueError("b"), SystemExit(3)):
        with pytest.raises(type(error)), guarded():
            raise error


def test_a_module_beside_the_file_is_found_and_an_edit_of_it_is_another_job(tmp_path):
    path = saved(tmp_path, FACTOR)
    found = []
    for factor in ("2", "1e-9"):
        saved(tmp_path, f"FACTOR = {factor}\n", "helper.py")
        (job,) = jobs([path])
        found.append((job.key(), judge(job).verdict))
    assert [verdict for _, verdict in found] == ["HOLDS", "VIOLATED"]
    assert found[0][0] != found[1][0]
    assert "helper" not in sys.modules
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize("how", ["deep", "package", "function", "dynamic"])
def test_the_key_covers_every_local_module_however_it_is_imported(tmp_path, how):
    text, deeper = TEXT, tmp_path / "deeper.py"
    if how == "deep":
        text = "import middle\n" + TEXT
        saved(tmp_path, "from deeper import A\n", "middle.py")
    elif how == "package":
        (tmp_path / "pack").mkdir()
        saved(tmp_path, "", "pack/__init__.py")
        saved(tmp_path, "from . import deeper", "pack/front.py")
        text, deeper = "import pack.front\n" + TEXT, tmp_path / "pack" / "deeper.py"
    elif how == "function":
        text = "def later():\n    import deeper\n" + TEXT
    else:
        text = "import importlib\nimportlib.import_module('dee' + 'per')\n" + TEXT
    keys = set()
    for value in ("1", "2"):
        deeper.write_text(f"A = {value}\n")
        (job,) = jobs([saved(tmp_path, text)])
        keys.add(job.key())
    assert len(keys) == 2


def test_a_module_that_came_within_the_tick_of_the_clock_is_found(tmp_path):
    path = saved(tmp_path, FACTOR)
    stamp = tmp_path.stat()
    with pytest.raises(UserFaultError, match="No module named 'helper'"):
        selected([path])
    saved(tmp_path, "FACTOR = 2\n", "helper.py")
    os.utime(tmp_path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # as on a coarse clock
    assert list(selected([path])) == ["textbook.thm1"]


def test_no_bytecode_is_left_that_would_hide_an_edit(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    saved(tmp_path, "FACTOR = 2\n", "helper.py")
    selected([saved(tmp_path, FACTOR)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["helper.py", "my.py"]
    assert sys.dont_write_bytecode is False


@pytest.mark.parametrize(
    "line", ["import pack.front", "from pack.front import A", "from pack import front"]
)
def test_of_a_package_every_file_is_local_however_it_is_imported(tmp_path, line):
    (tmp_path / "pack").mkdir()
    names = ["pack/__init__.py", "pack/deeper.py", "pack/front.py"]
    for name in names:
        saved(tmp_path, "A = 1\n", name)
    path = pathlib.Path(saved(tmp_path, f"{line}\n")).resolve()
    assert local_files(path) == [path, *(path.parent / name for name in names)]


def test_an_error_in_a_module_that_only_the_load_tells_is_the_file_s(tmp_path):
    saved(tmp_path, "def broken():\n    raise KeyError('mine')\n", "deeper.py")
    call = "import importlib\nLATER = importlib.import_module('dee' + 'per').broken\n"
    saved(tmp_path, call + TEXT)
    later = load(tmp_path / "my.py").LATER
    with pytest.raises(UserFaultError, match=r"\Adeeper\.py, line 2: KeyError: 'mine'"), guarded():
        later()


def test_two_files_each_get_the_module_beside_them(tmp_path):
    verdicts = []
    for name, factor in (("one", "2"), ("two", "1e-9")):
        (tmp_path / name).mkdir()
        saved(tmp_path / name, f"FACTOR = {factor}\n", "helper.py")
        (job,) = jobs([saved(tmp_path / name, FACTOR)])
        verdicts.append(judge(job).verdict)
    assert verdicts == ["HOLDS", "VIOLATED"]


def test_a_file_beside_it_takes_the_place_of_no_installed_module(tmp_path):
    saved(tmp_path, "raise SystemExit('hijacked')\n", "decimal.py")
    saved(tmp_path, "raise SystemExit('hijacked')\n", "sympy.py")
    path = saved(tmp_path, "import decimal, sympy\n" + TEXT)
    assert list(selected([path])) == ["textbook.thm1"]
    assert local_files(pathlib.Path(path).resolve()) == [pathlib.Path(path).resolve()]


@pytest.mark.parametrize("layer", ["base/site-packages", "vendored"])
def test_packages_that_a_layered_environment_brings_are_not_walked(tmp_path, monkeypatch, layer):
    # as a .pth file adds them: another environment's folder, or one with installer's records
    for name in ("layered", "below"):
        folder = tmp_path / layer / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("import below\n" if name == "layered" else "")
    (tmp_path / layer / "layered-1.0.dist-info").mkdir()
    other = tmp_path / "other"  # a folder of one's own on the path is no folder of packages
    other.mkdir()
    helper = pathlib.Path(saved(other, "A = 1\n", "my_helper.py"))
    for folder in (tmp_path / layer, other):
        monkeypatch.syspath_prepend(folder)
    (tmp_path / "mine").mkdir()
    path = pathlib.Path(saved(tmp_path / "mine", "import layered, my_helper\n" + TEXT))
    assert local_files(path) == [path, helper]


def test_what_was_installed_beside_a_users_own_modules_does_not_make_them_a_package(
    tmp_path, monkeypatch
):
    (tmp_path / "vendored-1.0.dist-info").mkdir()  # pip install --target .
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine").mkdir()
    helper = pathlib.Path(saved(tmp_path, "A = 1\n", "my_helper.py"))
    path = pathlib.Path(saved(tmp_path / "mine", "import my_helper\n" + TEXT))
    assert local_files(path) == [path, helper]


def test_where_modules_were_read_from_is_asked_once(tmp_path, monkeypatch):
    path = saved(tmp_path, TEXT)
    load(pathlib.Path(path))
    asked = []
    there = os.path.isfile
    monkeypatch.setattr(os.path, "isfile", lambda text: asked.append(text) or there(text))
    load(pathlib.Path(path))
    known = {getattr(module, "__file__", None) for module in sys.modules.values()}
    assert [text for text in asked if text in known and there(text)] == []


def test_one_id_from_two_places_is_refused(tmp_path):
    one, two = saved(tmp_path, TEXT), saved(tmp_path, TEXT, "two.py")
    with pytest.raises(ValueError, match="need one of them"):
        selected([one, two])
    assert list(selected([one, one])) == ["textbook.thm1"]
    mine = saved(tmp_path, TEXT.replace("textbook.thm1", "dfedsgpsm.thm1"), "three.py")
    for order in ([mine, "dfedsgpsm.*"], ["dfedsgpsm.thm1", mine]):
        with pytest.raises(ValueError, match="need one of them"):
            selected(order)
    twice = saved(tmp_path, TEXT + "STATEMENTS = [STATEMENT, STATEMENT]\n", "four.py")
    with pytest.raises(ValueError, match="comes twice"):
        selected([twice])


def test_a_job_of_a_built_in_statement_has_a_key_without_a_file():
    assert Job("dfedsgpsm.lem1", "printed", "x", None, 1, 0, 1.0).key()
