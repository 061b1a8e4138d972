import pathlib
from dataclasses import replace

import pytest

import theorylab
from theorylab import imports
from theorylab.statements import BUILT_IN
from theorylab.verdicts import catalogue, jobs, selected

USER = str(pathlib.Path(__file__).parent / "user_theorem.py")


def test_an_empty_selection_is_everything_and_patterns_select():
    assert list(selected([])) == list(selected(["*"]))
    assert list(selected(["dfedsgpsm.lem1*"])) == ["dfedsgpsm.lem1"]
    assert list(selected(["dfedsgpsm.lem1", "dfedsgpsm.thm1"])) == [
        "dfedsgpsm.lem1",
        "dfedsgpsm.thm1",
    ]


def test_a_papers_name_in_any_case_is_all_of_it_and_no_other_paper():
    for name in ("dfedalt", "DFedAlt"):
        assert list(selected([name])) == [id for id in BUILT_IN if id.startswith("dfedalt.")]
    assert list(selected(["deprl.thm1"])) == ["deprl.thm1"]  # and not deprl.thm1_mixing


def test_quick_leaves_out_only_the_long_checks():
    quick, every = jobs([], quick=True), jobs([])
    assert set(quick) < set(every)
    long = {job.id for job in every} - {job.id for job in quick}
    trained = {name for name in BUILT_IN if (BUILT_IN[name].experiment or "").endswith("-accuracy")}
    assert long == trained  # whole trainings, many seeds each


def test_a_key_changes_with_everything_that_changes_the_result():
    (first, *_) = jobs(["dfedsgpsm.lem1"])
    assert first.key() == jobs(["dfedsgpsm.lem1"])[0].key()
    others = [
        replace(first, **{name: other})
        for name, other in (
            *(("id", "x.y"), ("version", "implied"), ("check", "another"), ("source_file", USER)),
            *(("seeds", 7), ("seed", 1), ("budget", 9.0)),
        )
    ]
    assert len({first.key(), *(job.key() for job in others)}) == 8


def test_an_edited_theorem_is_another_job(tmp_path):
    # a resumed run must not give it the verdict that it had before
    file = tmp_path / "own.py"
    text = pathlib.Path(USER).read_text()
    file.write_text(text)
    (job,) = jobs([str(file)])
    before = job.key()
    assert job.key() == before
    file.write_text(text.replace("2 * (f0", "3 * (f0"))
    assert job.key() != before


def test_an_edited_package_makes_other_jobs(tmp_path, monkeypatch):
    (job, *_) = jobs(["dfedsgpsm.lem1"])
    monkeypatch.setattr(theorylab, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "deep").mkdir()
    keys = set()
    for name, text in (
        *(("__init__.py", "a"), ("deep/part.py", "b"), ("deep/part.py", "c")),
        *(("_core.so", "d"), ("_core.so", "e"), ("notes.txt", "f")),
        *(("deep/instances.toml", "g"), ("deep/instances.toml", "h")),
    ):
        (tmp_path / name).write_text(text)
        catalogue.code_hash.cache_clear()
        keys.add(job.key())
    catalogue.code_hash.cache_clear()
    assert len(keys) == 7  # all but the notes, which are no code


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (["dfedsgpsm.thm11"], "no statement 'dfedsgpsm.thm11'; did you mean dfedsgpsm.thm1?"),
        (["zzz"], "no statement 'zzz'; need an id that list shows"),
        (["missing.py"], "missing.py: no such file"),
    ],
)
def test_what_is_unknown_is_named(selection, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        jobs(selection)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": 0}, "seeds is 0"),
        ({"seeds": 2**31 + 1}, "seeds is 2147483649; need at most 2147483648"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**64}, "seed is 18446744073709551616"),
        ({"budget": 0.0}, "budget is 0.0"),
        ({"budget": float("inf")}, "budget is inf"),
        ({"budget": float("nan")}, "budget is nan"),
    ],
)
def test_options_out_of_range_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        jobs([], **options)


def test_the_ends_of_the_ranges_of_options_are_taken():
    (job, *_) = jobs(["dfedsgpsm.lem1"], seeds=2**31, seed=2**64 - 1, budget=5e-324)
    assert (job.seeds, job.seed, job.budget) == (2**31, 2**64 - 1, 5e-324)
    (job, *_) = jobs(["dfedsgpsm.lem1"], seeds=1, seed=0)
    assert (job.seeds, job.seed) == (1, 0)


def test_a_theorem_needs_a_check_in_one_of_its_versions(tmp_path):
    text = pathlib.Path(USER).read_text()
    (tmp_path / "own.py").write_text(
        text + "from dataclasses import replace\n"
        "once = STATEMENT.versions\n"
        "bare = {k: replace(v, checks=()) for k, v in once.items()}\n"
        "STATEMENT = replace(STATEMENT, versions=bare | {'second': next(iter(once.values()))})\n"
    )
    assert [job.version for job in jobs([str(tmp_path / "own.py")])] == ["second"]
    (tmp_path / "own.py").write_text(
        text + "from dataclasses import replace\n"
        "bare = {k: replace(v, checks=()) for k, v in STATEMENT.versions.items()}\n"
        "STATEMENT = replace(STATEMENT, versions=bare)\n"
    )
    with pytest.raises(ValueError, match=r"textbook\.thm1 has no checks; need at least one Check"):
        jobs([str(tmp_path / "own.py")])


def test_a_file_beside_an_imported_one_gives_its_own_statements(tmp_path):
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    for path in (first, second):
        path.write_text(pathlib.Path(USER).read_text().replace(".thm1", f".{path.stem}"))
    with imports.scope():
        known = imports.import_file(first)
        assert list(catalogue.loaded(str(second))) == ["textbook.second"]
        # and the imported one is not run again
        assert catalogue.loaded(str(first))["textbook.first"] is known.module.STATEMENT
