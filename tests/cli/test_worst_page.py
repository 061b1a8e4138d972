"""``theorylab worst --out``: its page."""

import html
import json
import re

import pytest


def test_a_range_is_a_curve_with_a_picture(run, tmp_path):
    done = run(
        *("worst", "dpsgd", "--set", "eta=1", "--rounds", "1:3", "--start", "distance=1"),
        *("--out", tmp_path / "out", "--json", tmp_path / "w.json"),
    )
    assert done.code == 0
    values = [row["value"] for row in json.loads((tmp_path / "w.json").read_text())["worst"]]
    assert values == pytest.approx([1 / 6, 1 / 10, 1 / 14], rel=1e-6)  # 1/(4T + 2)
    assert (tmp_path / "out/worst.svg").read_text().startswith("<?xml")
    page = (tmp_path / "out/index.html").read_text()
    assert all(f'<td class="n">{value:.6g}</td>' in page for value in values)
    (plot,) = json.loads(html.unescape(re.search(r'data-plots="([^"]*)"', page)[1]))
    assert plot["curves"][0]["y"] == pytest.approx(values, rel=1e-4)
    assert "Command: " in page.partition("<footer")[2]


def test_the_page_of_a_theorem_has_a_row_a_case(run, tmp_path):
    words = ("worst", "dfedsgpsm.thm1", "--clients", "2", "--rounds", "1:2")
    assert run(*words, "--out", tmp_path).code == 0
    page = (tmp_path / "index.html").read_text()
    assert page.count("<td>corrected</td><td") == 2
    assert "<h1>dfedsgpsm.thm1: replayed &lt;= PROVED &lt;= bound</h1>" in page
