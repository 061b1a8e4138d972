"""``theorylab explain``: its options; its work is imported when it is done."""

from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.completion import ids_and_papers
from theorylab.commands.options import Force, Options, Script
from theorylab.commands.refusal import Refused
from theorylab.commands.scripted import check_script


class Explain(Options):
    """Say why a verdict is what it is: the claim, the instance, both sides, what fails, the repair.

    The checks of one reading are judged, and one of them is explained. Of a violation the measured
    side is enclosed once more in interval arithmetic, where that is written out. For the numbers
    alone, and for the exit code, use verify. Of a paper all that is false as printed is listed. A
    counterexample is told by the check that it began from, by itself and by the difference.
    """

    name: Annotated[
        str,
        typer.Argument(
            metavar="ID|PAPER|FILE.py|FOUND.json",
            help="A statement, a paper, a file of your own, or what falsify --json wrote.",
            autocompletion=ids_and_papers,
        ),
    ]
    version: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which reading; the first that is false if omitted."),
    ] = None
    check: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which check; the one that says most if omitted."),
    ] = None
    seed: Annotated[int, typer.Option(help="What all randomness derives from.")] = 0
    latex: Annotated[
        bool, typer.Option("--latex", help="The paper's formula and the judged one, too.")
    ] = False
    bibtex: Annotated[
        bool, typer.Option("--bibtex", help="The BibTeX entry of the verdict, and nothing else.")
    ] = False
    source: Annotated[
        Path | None,
        typer.Option(metavar="FILE.py", help="Run this: the file that FOUND.json is of."),
    ] = None
    script_target: Script = None
    force: Force = False

    def work(self) -> int:
        name, alone = self.name, self.version is None and self.check is None
        check_script(self.script_target, self.force)
        if self.bibtex and (self.latex or self.script_target is not None):
            raise Refused("--bibtex: it came with --latex or --script; need it alone")
        if name.endswith(".json"):
            if not alone or self.bibtex:
                options = "--version, --check or --bibtex"
                raise Refused(f"explain: {name} came with {options}; need it alone")
            from theorylab.commands.explain.finding import explain_finding

            return explain_finding(Path(name), self.source, self.script_target)
        if self.source is not None:
            raise Refused("--source: there is no FOUND.json; need one")
        from theorylab.commands.list.catalogue import check_selection, paper_meant

        paper = paper_meant(name) if alone else None
        if paper is not None and (self.script_target is not None or self.bibtex):
            flag = "--bibtex" if self.bibtex else "--script"
            raise Refused(f"{flag}: {name} is a paper; need one statement of it")
        if paper is not None:
            from theorylab.commands.explain.paper import explain_paper

            return explain_paper(paper)
        check_selection([name])  # before what takes seconds to import
        from theorylab.commands.explain.claim import claimed

        claim = claimed(self)  # is told before what judges is imported
        from theorylab.commands.explain.work import explain

        return explain(claim)
