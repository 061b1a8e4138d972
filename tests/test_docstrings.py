"""Each stable name has a page that can be read alone: arguments, result, an example that runs."""

import doctest
import importlib
import importlib.util
import inspect
import pathlib
import re
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "verify"))
import stability  # noqa: E402

STABLE = stability.stable((ROOT / "docs/api.md").read_text())
NAMES = [(package, name) for package, names in STABLE.items() for name in names]
NEEDS = {  # extras, beside what the tests of a checkout have in any case
    ("problems", "from_loss"): "torch", ("hypergradients", "TorchBilevel"): "torch",
    ("hypergradients", "flat_model"): "torch", ("records", "Recorder"): "torch",
    ("theorylab", "to_frame"): "pandas",
}  # fmt: skip
DEAR = {*NEEDS, ("theorylab", "sweep"), ("falsify", "falsify"), ("falsify", "Finding")} | {
    *(("scripts", "script"), ("speedup", "speedup"), ("speedup", "Speedup")),
    ("strategies", "column_stochastic"),
}  # take .3 to 3 s of processor each; apart, so that the others run daily
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def value(package, name):
    return getattr(importlib.import_module(stability.module_of(package)), name)


def section(doc, *titles):
    """The lines below the headings, without their indentation."""
    bodies = re.findall(rf"^(?:{'|'.join(titles)}):\n((?:    .*\n|\n)+)", f"{doc}\n", re.MULTILINE)
    return inspect.cleandoc("\n" + "".join(bodies))


def told(doc, *titles):
    """The names that a section explains: "a:" or "a, b:", at the start of an entry or inside."""
    entries = re.findall(r"(?:^|[.:;] )((?:\w+, )*\w+):(?=\s)", section(doc, *titles), re.MULTILINE)
    return {name for entry in entries for name in entry.split(", ")}


def taken(thing):
    """The arguments of a call, but for those of a base class that pass through."""
    try:
        names = [*inspect.signature(thing).parameters]
    except (TypeError, ValueError):
        return []
    return [name for name in names if name not in ("self", "arguments", "options", "keywords")]


def lacks(thing):
    """What a docstring does not have, in words."""
    doc = inspect.getdoc(thing) or ""
    missing = [] if ">>> " in doc else ["an example"]
    is_class = inspect.isclass(thing)
    titles = ("Args", "Attributes") if is_class else ("Args",)
    known = told(doc, *titles)
    enum = is_class and hasattr(thing, "__members__")
    arguments = () if enum or not (is_class or inspect.isfunction(thing)) else taken(thing)
    missing += [f"a word on {name}" for name in arguments if name not in known]
    if inspect.isfunction(thing) and not section(doc, "Returns"):
        missing.append("Returns")
    return missing


@pytest.mark.parametrize(("package", "name"), NAMES)
def test_a_stable_name_says_what_it_takes_and_gives(package, name):
    assert lacks(value(package, name)) == []


def run_example(package, name):
    """Names of its package, and ``np``, are imported; all else the example imports itself."""
    names = {each: value(package, each) for each in STABLE[package]}
    doc = inspect.getdoc(value(package, name)) or ""
    where = f"{package}.{name}"
    example = doctest.DocTestParser().get_doctest(doc, {"np": np, **names}, where, None, 0)
    assert example.examples
    lines = []
    doctest.DocTestRunner(optionflags=FLAGS).run(example, out=lines.append)
    assert not lines, "".join(lines)


@pytest.mark.parametrize(("package", "name"), [each for each in NAMES if each not in DEAR])
def test_the_example_of_a_stable_name_runs(package, name):
    run_example(package, name)


@pytest.mark.parametrize(("package", "name"), sorted(DEAR))
def test_an_example_that_takes_a_while_runs(package, name, tmp_path, monkeypatch):
    if (package, name) in NEEDS:
        pytest.importorskip(NEEDS[package, name])
    monkeypatch.chdir(tmp_path)
    run_example(package, name)


def test_a_docstring_that_lacks_something_is_told():
    def bare(a, b):
        """Nothing is said."""

    def half(a, b=1):
        """Some.

        Args:
            a: a number, (n,): it is
                kept.

        >>> half(1)
        """

    def whole(a, b=1):
        """All.

        Args:
            a, b: numbers.

        Returns:
            Their sum.

        >>> whole(1)
        """

    class Kept:
        """A class.

        Attributes:
            a: a number.

        >>> Kept(1, 2)
        """

        def __init__(self, a, b):
            self.a = a

    assert lacks(bare) == ["an example", "a word on a", "a word on b", "Returns"]
    assert lacks(half) == ["a word on b", "Returns"]
    assert lacks(whole) == []
    assert lacks(Kept) == ["a word on b"]


def test_every_option_of_what_is_found_by_name_has_words():
    missing = []
    for package, members in stability.by_name().items():
        for name, kind in members.items():
            docs = [inspect.cleandoc(each.__doc__ or "") for each in kind.__mro__]
            known = {word for doc in docs for word in told(doc, "Args")} | {"clients", "seed"}
            options = [each for each in taken(kind) if each != "given"]
            missing += [f"{package} {name}: {each}" for each in options if each not in known]
    assert missing == []


@pytest.fixture(scope="module")
def conf():
    """The configuration of the site, as Sphinx runs it."""
    spec = importlib.util.spec_from_file_location("conf_of_docs", ROOT / "docs/conf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_stable_name_has_one_page_and_a_line_that_leads_there(conf):
    pages = [*conf._objects()]
    assert sorted((package, name) for package, name, *_ in pages) == sorted(NAMES)
    stems = [stem for _, _, stem, _ in pages]
    assert len({stem.lower() for stem in stems}) == len(stems)  # some file systems see no capitals
    source = [(ROOT / "docs/reference.md").read_text()]
    conf._tables(None, "reference", source)
    for package, name, stem, text in pages:
        assert f"- [{name}](reference/{stem}.md): " in source[0]
        assert f"# {stability.module_of(package)}.{name}\n" in text
    kinds = dict(conf._kinds())
    assert {*kinds} == {*stability.by_name()}
    for package, members in stability.by_name().items():
        assert all(f"\n## {name}\n" in kinds[package] for name in members)


def test_old_pages_are_taken_away_and_new_ones_written(conf, tmp_path, monkeypatch):
    (tmp_path / "api.md").write_text("| runs | runs | `simulate` |\n")
    monkeypatch.setattr(conf, "_FOLDER", tmp_path / "reference")
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference/runs.gone.md").write_text("old")
    conf._write(None)
    written = {path.stem for path in (tmp_path / "reference").iterdir()}
    kinds = {f"{package}-by-name" for package in stability.by_name()}
    assert written == {"runs.simulate", *kinds}


def test_bullets_displays_and_examples_are_read_as_what_they_are(conf):
    text = """A modulus |x| of:
* the first |x|,
  in ``a*b`` words
* the second
and more:

    u * v

Args:
    a: |x|.
    Otherwise as ``Other``.

>>> 2 * 3
6"""
    lines = text.splitlines()
    conf._text(None, "class", "", None, None, lines)
    assert (
        lines
        == r"""A modulus \|x\| of:

* the first \|x\|,
  in ``a*b`` words
* the second

and more:


::

    u * v


Args:
    a: \|x\|.

Otherwise as ``Other``.

>>> 2 * 3
6""".splitlines()
    )
