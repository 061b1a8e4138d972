"""Where the pages have a count or a list that is made of the sources, and what it has to be.

``places`` has them all. A count is found by the sentence around it, so that a page reads as if it
were written by hand. ``counts.py`` compares and writes.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from theorylab.statements import Statement

Rewrite = Callable[[str], str]  # a page as it is -> as it has to be
_WORDS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)


class LostError(Exception):
    """The sentence that holds a count is not in its page, or is there more than once."""


class RefusedError(Exception):
    """There is no tree of sources that can be counted."""


def word(number: int) -> str:
    """A number as prose has it."""
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"


def sentence(pattern: str, *values: str, needed: bool = True) -> Rewrite:
    """Put the values where the groups of ``pattern`` are, which has to match once.

    ``^`` and ``$`` are the ends of a line, and a blank may be one: prose is wrapped anew at times.
    With ``needed=False`` the sentence may be absent.
    """
    compiled = re.compile(pattern.replace(" ", r"\s+"), re.MULTILINE)

    def rewrite(text: str) -> str:
        matches = [*compiled.finditer(text)]
        if not matches and not needed:
            return text
        if len(matches) != 1:
            raise LostError(f"{len(matches)} texts match {pattern!r}; need one")
        for group in range(len(values), 0, -1):
            start, end = matches[0].span(group)
            text = text[:start] + values[group - 1] + text[end:]
        return text

    return rewrite


def whole(content: str) -> Rewrite:
    """The file is nothing but ``content``."""
    return lambda text: content


def places(root: Path) -> Iterator[tuple[str, Rewrite]]:
    """Every file with a count, by its path below ``root``, and what puts the count there."""
    import exhibits
    import letters_page

    from theorylab.bench import gpu
    from theorylab.report import errata_page
    from theorylab.statements import BUILT_IN

    yield "docs/letters.md", letters_page.rewritten
    yield "docs/errata.md", whole(errata_page.text(exhibits.kept()))
    yield "docs/papers.md", _papers
    yield "docs/api.md", _public_names

    statements = f"{len(BUILT_IN):,}"
    yield "README.md", sentence(r"([\d,]+) statements of five papers, each as", statements)
    # What is told of a version that is out stays.
    unreleased = r"^## Not released yet\n(?:(?!## ).*\n)*?.*display by display\*\*: ([\d,]+) statem"
    yield "CHANGELOG.md", sentence(unreleased, statements, needed=False)
    yield "README.md", partial(_severities, title="What was found")
    yield "docs/papers.md", partial(_severities, title="The main theorems")

    yield "docs/verdicts.md", _meanings
    yield "docs/speed.md", _targets

    claims = word(len([*(root / "docs/gallery").glob("*.py")]))
    yield "README.md", sentence(r"([\w,]+) known claims, each with a false rival", claims)
    gallery = sentence(r"([\w,]+) known theorems, each in a file", claims.capitalize())
    yield "docs/gallery/README.md", gallery

    networks, clients, steps, seeds = _axes(root)
    cells = f"{networks * clients * steps * seeds:,}"
    yield "verify/steps.toml", sentence(r"^# .* stay: ([\d,]+) runs with noise\.$", cells)
    large = (
        r"A larger one has ([\d,]+) runs over (\w+) networks, (\w+) numbers of clients, "
        r"(\d+) steps and (\d+) seeds:"
    )
    sizes = (word(networks), word(clients), str(steps), str(seeds))
    yield "docs/campaigns.md", sentence(large, cells, *sizes)

    chips = _chips(root)
    listed = f"{', '.join(chips[:-1])} and {chips[-1]}"
    compiled = sentence(r"kernels compile for compute capabilities ([\d., and]+), and", listed)
    yield "theorylab/bench/_gpu_page.py", compiled
    record = _card_record(root)
    yield "docs/gpu.md", whole(gpu.page(record))
    yield "docs/gpu.md", compiled
    yield "README.md", sentence(r"float64 with the host's bits\.\n(.+)$", gpu.sentence(record))


def _card_record(root: Path) -> dict[str, Any] | None:
    """The GPU bench's record at hand, or None where no card was met."""
    from theorylab.bench import gpu

    path = root / "verify/gpu.json"
    if not path.exists():
        return None
    try:
        (record,) = json.loads(path.read_text())["benches"]
        gpu.page(record)
    except (ValueError, KeyError, TypeError) as error:
        raise RefusedError(f"verify/gpu.json is no record of a card: {error!r}") from error
    return dict(record)


def _meanings(text: str) -> str:
    """docs/verdicts.md with a row a verdict: its word and what it means."""
    from theorylab.verdicts import Verdict

    rows = "".join(f"| `{verdict.name}` | {verdict.value} |\n" for verdict in Verdict)
    table = re.compile(r"(^\| verdict \| meaning \|\n\|[-|]+\|\n)(?:\|.*\n)+", re.MULTILINE)
    if not table.search(text):
        raise LostError("there is no table of the verdicts and their meaning")
    return table.sub(lambda found: found[1] + rows, text)


def _targets(text: str) -> str:
    """docs/speed.md with a row for each row of the program that has to reach something."""
    from theorylab.bench import _targets as known

    asked = {
        row: ", ".join(known.words(row, kind) for kind in known.KINDS if kind in goals)
        for row, goals in known.targets().items()
    }
    lines = "".join(f"| {row} | {words} |\n" for row, words in asked.items())
    return sentence(r"<!-- targets -->\n\n\| row \| asked \|\n\|---\|---\|\n((?:\|.*\n)*)", lines)(
        text
    )


def _papers(text: str) -> str:
    """docs/papers.md with a row a paper: its statements and checks, and how many are false."""
    from theorylab.report.listing import paper_table
    from theorylab.statements import NOT_RUN

    columns, rows = paper_table(NOT_RUN)
    names = [column.lstrip(">") for column in columns]
    table = [names, *rows]
    lines = [f"| {' | '.join(row)} |\n" for row in table]
    lines.insert(1, "|" + "---|" * len(names) + "\n")
    return sentence(r"<!-- papers -->\n\n((?:\|.*\n)+)", "".join(lines))(text)


def _public_names(text: str) -> str:
    """docs/api.md with the public names that are not promised, in the row of their package."""
    import stability

    promised, members = stability.stable(text), stability.members()
    before, heading, table = text.partition(stability.NOT_PROMISED)
    rows = {*re.findall(r"^\| (\w+) \|", table, re.MULTILINE)} - {"package"}
    for package, names in stability.public().items():
        others = {*names} - {*promised.get(package, ())} - members.get(package, set())
        if others:
            shown = ", ".join(f"`{name}`" for name in sorted(sorted(others), key=str.lower))
            table = sentence(rf"^\| {package} \| .* \| (`.*`) \|$", shown)(table)
            rows.discard(package)
    if rows:
        package = min(rows)
        raise LostError(f"there is a row of {package}, which has no public name that is unstable")
    return before + heading + table


def _severities(text: str, title: str) -> str:
    """A page with the severity of each main theorem below ``title``, as its statements have it."""
    from theorylab.statements import BUILT_IN

    before, heading, section = text.partition(f"\n## {title}\n")
    section, mark, after = section.partition("\n## ")
    lines = section.splitlines(keepends=True)
    shown = [number for number, line in enumerate(lines) if line.startswith("| ")][1:]
    if not shown:
        raise LostError(f"there is no table below '## {title}'")
    for number in shown:
        cells = lines[number].split(" | ")
        ids = re.findall(r"`([\w. ]+)`", cells[-1])
        found = {_severity(BUILT_IN, name) for name in " ".join(ids).split()}
        if len(cells) != 4 or len(found) != 1:
            told = ", ".join(sorted(found)) or "none"
            raise LostError(f"a row has the severities {told}; need one: {lines[number].strip()}")
        cells[1] = found.pop()
        lines[number] = " | ".join(cells)
    return "".join([before, heading, *lines, mark, after])


def _severity(statements: Mapping[str, Statement], name: str) -> str:
    from theorylab.report.tally import expected_claims, refutation

    if name not in statements:
        raise LostError(f"a row names {name!r}, which is no statement")
    found = refutation(expected_claims([statements[name]]))
    return "none" if found is None or found.kind in ("reading", "implied") else found.severity


def _axes(root: Path) -> list[int]:
    """How many values each axis of the large campaign has."""
    try:
        axes = tomllib.loads(read(root, "verify/steps.toml"))["axes"]
        named = [axes[name] for name in ("topology", "clients", "algorithm.eta", "seed")]
        return [len(each) if isinstance(each, list) else int(each["count"]) for each in named]
    except (KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise RefusedError(f"verify/steps.toml: no plan with its four axes: {error}") from None


def _chips(root: Path) -> list[str]:
    """The compute capabilities that are compiled where nobody says which and no GPU answers."""
    found = re.search(r"EVERY_ARCH = \[([\d\", ]+)\]", read(root, "setup.py"))
    if found is None:
        raise RefusedError("setup.py has no line with EVERY_ARCH")
    return [f"{int(chip) // 10}.{int(chip) % 10}" for chip in re.findall(r"\d+", found[1])]


def read(root: Path, page: str) -> str:
    """The text of a file, each end of a line as it is. Raises OSError and RefusedError."""
    try:
        return (root / page).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedError(f"{page} is no text in UTF-8: {error}") from None
