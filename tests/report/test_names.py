import os

import pytest

from theorylab.report.names import check_names, page_files, paper_of, safe_names

ODD = ["../../etc/x", "a/b", "a b", "A b", "", "." * 9, "y" * 400, "y" * 401, "ü\n\x00", "a b"]


def test_names_stay_inside_the_folder_and_apart(make):
    names = check_names([make(check=check) for check in ODD])
    assert len({name.lower() for name in names}) == len(ODD)
    for name in names:
        assert os.sep not in name
        assert ".." not in name
        assert len(name) < 200
        assert name.isascii()


def test_a_plain_name_stays_as_it_is(make):
    (name,) = check_names([make(version="printed/sgp")])
    assert name == "dfedsgpsm.thm1--printed-sgp--worked-example"


def test_a_name_does_not_depend_on_what_stands_beside_it(make):
    alone = safe_names([("a", "b")])
    assert safe_names([("c",), ("a", "b"), ("d",)])[1] == alone[0]


@pytest.mark.parametrize("paper", ["index", "INDEX", "Index"])
def test_a_paper_does_not_take_the_overviews_name(paper):
    files = page_files([f"{paper}.thm1", "deprl.thm1"])
    assert files["deprl"] == "deprl.html"
    assert files[paper].lower() != "index.html"


def test_the_papers_of_odd_ids_have_a_page_each():
    ids = [f"{odd}.x" for odd in dict.fromkeys(ODD)] + ["", "no-dot"]
    files = page_files(ids)
    assert set(files) == {paper_of(name) for name in ids}
    assert len({name.lower() for name in files.values()}) == len(files)
    for name in files.values():
        assert os.sep not in name
        assert not name.startswith(".")
