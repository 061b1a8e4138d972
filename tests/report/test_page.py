import base64
import hashlib
import html
import itertools
import json
import pathlib
import random
import re
import shutil
import subprocess

import pytest

from theorylab import report
from theorylab.verdicts.result import AssumptionResult

SCRIPT = (pathlib.Path(report.__file__).parent / "page.js.j2").read_text().rstrip("\n")
EVIL = "<script>alert('x')</script>\"'&{{7*7}}"


@pytest.fixture
def mixed(results, make):
    """Several papers, one of them a user's own, whose name is that of the overview."""
    return [
        *results,
        make(id="deprl.thm1", source="deprl, Theorem 1: text"),
        make(id="index.mine", source="index, mine: text"),
        make(id="deprl.mine", version="printed"),
    ]


def test_every_page_is_balanced_html_with_one_title_and_unique_ids(mixed, read, pages):
    for text in pages(mixed).values():
        reader = read(text)
        assert (reader.open, reader.wrong) == ([], [])
        assert len(reader.ids) == len(set(reader.ids))
        headings = [tag for tag, _ in reader.tags if re.fullmatch(r"h\d", tag)]
        assert headings.count("h1") == 1
        assert headings[0] == "h1"
        for above, below in itertools.pairwise(headings):
            assert int(below[1]) - int(above[1]) <= 1  # no level is left out
        assert all(a.get("alt") for tag, a in reader.tags if tag == "img")


def test_every_link_leads_to_an_anchor_that_is_there(mixed, read, pages):
    made = {name: read(text) for name, text in pages(mixed).items()}
    beside = {"results.json", "tables.tex"}
    seen = 0
    for name, reader in made.items():
        for target in reader.targets:
            file, _, anchor = target.partition("#")
            file = file or name
            if file in beside or file.startswith("figures/"):
                continue
            assert file in made, target
            assert not anchor or anchor in made[file].ids, target
            seen += 1
    assert seen > len(mixed)


def test_every_result_is_on_exactly_one_page_and_linked_from_the_overview(mixed, read, pages):
    made = {name: read(text) for name, text in pages(mixed).items()}
    cards = [
        (name, identifier)
        for name, reader in made.items()
        for identifier in reader.ids
        if identifier.startswith("check:")
    ]
    assert len(cards) == len({identifier for _, identifier in cards}) == len(mixed)
    assert sorted(made) == ["deprl.html", "dfedsgpsm.html", *sorted(set(made) - {
        "deprl.html", "dfedsgpsm.html", "index.html"}), "index.html"]  # fmt: skip
    assert len(made) == 4
    for result in mixed:
        holders = [
            name
            for name, reader in made.items()
            if f"check:{result.id}--{result.version.replace('/', '-')}--{result.check}"
            in reader.ids
        ]
        assert len(holders) == 1
        assert holders[0] != "index.html"
        assert result.id in made["index.html"].shown


def own_script(text):
    """The page without its one script, which its policy names by its hash."""
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"script-src 'sha256-{digest}'; object-src 'none'; base-uri 'none'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in html.unescape(text)
    assert script == SCRIPT
    return text.replace(f"<script>{script}</script>", "")


def test_no_page_needs_the_network_or_a_script(mixed, read, pages):
    for name, whole in pages(mixed).items():
        text = own_script(whole)
        assert 'id="filter" hidden' in text or name == "index.html"  # the script shows it
        reader = read(text)
        tags = {tag for tag, _ in reader.tags}
        assert not {"script", "link", "iframe", "object", "embed", "base"} & tags
        assert not any(name.startswith("on") for _, a in reader.tags for name in a)
        assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", text)
        assert not any(target.startswith(("/", "..")) for target in reader.targets)


def test_nothing_that_comes_from_a_result_is_markup(make, read, pages):
    result = make(
        check=EVIL,
        version=EVIL,
        id=EVIL,
        source=EVIL,
        reason=EVIL,
        interval=EVIL,
        formula=EVIL,
        quantity=EVIL,
        place=EVIL,
        places=2,
        terms={EVIL: 1.0, "b": None},
        assumptions=[AssumptionResult(name=EVIL, holds=False, margin=-1.0, reason=EVIL)],
        constants={EVIL: {"value": 1.0, "how": EVIL, "source": EVIL, "log10": 0.0}},
        instance={EVIL: {EVIL: EVIL}, "<!-- outlines -->": "<!-- outlines -->"},
    )
    other = result.model_copy(update={"expected": "HOLDS", "check": EVIL + "2"})
    made = pages([result, other])
    assert len(made) == 2
    for name, whole in made.items():
        text = own_script(whole)
        assert "<script" not in text
        assert "49" not in re.findall(r"alert\('x'\)</script>\W*(\d+)", text)
        reader = read(text)
        assert (reader.open, reader.wrong) == ([], [])
        assert reader.text.count(EVIL) >= (3 if name == "index.html" else 10)
        assert not any(key.startswith("on") for _, a in reader.tags for key in a)
        assert text.count("<!-- outlines -->") == 0


def test_the_same_results_give_the_same_pages(mixed, pages):
    assert pages(mixed) == pages(mixed)


@pytest.mark.parametrize(
    "change",
    [
        {"terms": {}},
        {"assumptions": []},
        {"constants": {}},
        {"instance": {}},
        {"ci": (None, 1.0)},
        {"curve": None},
        {"measured": 0.5, "bound": -1.0, "log10_bound": None, "ratio": -0.5},
        {"measured": 0.5, "bound": 0.0, "log10_bound": None, "ratio": None},
        {"measured": 0.0, "ratio": 0.0},
    ],
)
def test_a_result_may_lack_parts(make, read, change, pages):
    for text in pages([make(**change)]).values():
        reader = read(text)
        assert (reader.open, reader.wrong) == ([], [])


def test_an_empty_report_is_a_page_too(read, pages):
    assert "0 checks" in read(pages([])["index.html"]).shown


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
@pytest.mark.parametrize("place", ["", "#%", "#no-such-place"])
def test_a_link_to_no_place_leaves_the_tables_sortable(place):
    document = """
        var asked = [], none = {value: "", addEventListener() {}};
        var box = {querySelector: () => none, querySelectorAll: () => []};
        var window = none, location = {hash: process.argv[1]};
        var document = {
          getElementById: (id) => id === "filter" ? box : null, addEventListener() {},
          querySelectorAll: (words) => { asked.push(words); return []; }};
    """
    played = f"{document}{SCRIPT}\nconsole.log(asked.join());"
    done = subprocess.run(
        ["node", "-e", played, "--", place], capture_output=True, text=True, check=False
    )
    assert "table.rows" in done.stdout, done.stderr


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_a_column_sorts_numbers_that_no_float_holds_among_the_others():
    ordered = [
        *("−10^400.5", "−1.2 × 10³⁰⁹", "−5", "−2 × 10⁻⁴⁰⁰", "−10^-500.2", "0", "10^-900.1"),
        *("3 × 10⁻⁴⁰⁰", "4 × 10⁻⁴⁰⁰", "1e-300", "2.5", "1,024", "10^5.2", "9 × 10³⁰⁷", "10^308.9"),
        *("2 × 10³⁰⁹", "1 × 10⁴⁰⁰", "10^1091.3", "bound is 0", "–"),
    ]
    shuffled = random.Random(1).sample(ordered, len(ordered))
    document = """
        var marks = {};
        var head = {textContent: "n", getAttribute: (k) => marks[k], addEventListener(kind, f) {
          if (kind === "click") head.click = f; }, setAttribute: (k, v) => { marks[k] = v; }};
        var row = (t) => ({cells: [{textContent: t}], textContent: t});
        var body = {rows: JSON.parse(process.argv[1]).map(row),
          appendChild(row) { this.rows = this.rows.filter((r) => r !== row).concat(row); }};
        var above = {before() {}};
        var element = () => ({value: "", append() {}, addEventListener() {}});
        var table = {tHead: {rows: [{cells: [head]}]}, tBodies: [body], parentElement: above};
        var document = {getElementById: () => null, addEventListener() {}, createElement: element,
          querySelectorAll: (words) => words === "table.rows" ? [table] : []};
    """
    told = "console.log(JSON.stringify(body.rows.map((row) => row.cells[0].textContent)));"
    played = f"{document}{SCRIPT}\nhead.click(); {told} head.click(); {told}"
    done = subprocess.run(
        ["node", "-e", played, "--", json.dumps(shuffled)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not done.returncode, done.stderr[:400]
    up, down = map(json.loads, done.stdout.splitlines())
    assert up == ordered
    assert down == [*reversed(ordered[:-1]), ordered[-1]]  # what is no number stays last
