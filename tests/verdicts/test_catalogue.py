import pytest

from theorylab.verdicts import jobs, selected


def test_an_empty_selection_is_everything_and_patterns_select():
    assert list(selected([])) == list(selected(["*"]))
    assert list(selected(["dfedsgpsm.lem1*"])) == ["dfedsgpsm.lem1"]
    assert list(selected(["dfedsgpsm.lem1", "dfedsgpsm.thm1"])) == [
        "dfedsgpsm.lem1",
        "dfedsgpsm.thm1",
    ]


def test_quick_leaves_out_only_the_long_checks():
    quick, every = jobs([], quick=True), jobs([])
    assert set(quick) < set(every)
    assert {job.id for job in quick} == {job.id for job in every}


def test_a_key_changes_with_everything_that_changes_the_result(tmp_path):
    (first, *_) = jobs(["dfedsgpsm.lem1"])
    (other, *_) = jobs(["dfedsgpsm.lem1"], seed=1)
    (more, *_) = jobs(["dfedsgpsm.lem1"], seeds=7)
    assert len({first.key(), other.key(), more.key()}) == 3
    assert first.key() == jobs(["dfedsgpsm.lem1"])[0].key()


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
        ({"seed": -1}, "seed is -1"),
        ({"budget": 0.0}, "budget is 0.0"),
    ],
)
def test_options_out_of_range_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        jobs([], **options)
