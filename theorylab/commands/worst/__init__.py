"""``theorylab worst``: its options; its work is imported when it is done."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.completion import methods_and_ids
from theorylab.commands.options import Force, Json, Options, Script
from theorylab.commands.refusal import Refused
from theorylab.commands.scripted import check_script


class Worst(Options):
    """The worst case of a method over all functions of a class, and a proof of it."""

    name: Annotated[
        str,
        typer.Argument(
            metavar="METHOD|FILE.py|ID",
            help="By name, a file with one, or a theorem.",
            show_default=False,
            autocompletion=methods_and_ids,
        ),
    ] = ""
    clients: Annotated[str, typer.Option(metavar="N|A:B", help="How many; a range: a curve.")] = "1"
    rounds: Annotated[str, typer.Option(metavar="T|A:B", help="How many; a range: a curve.")] = "1"
    network: Annotated[
        str, typer.Option(metavar="NAME|FILE.json", help="Name, or an edge list.")
    ] = "complete"
    settings: Annotated[
        Sequence[str],
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Of the method (eta=1/3), or topology.NAME=VALUE; may come again.",
        ),
    ] = ()
    kind: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="NAME",
            help="smooth (if omitted), convex, smooth-strongly-convex, bounded-gradient, nonconvex",
        ),
    ] = None
    mu: Annotated[str | None, typer.Option(metavar="P/Q", help="Curvature of every f_i.")] = None
    smooth: Annotated[str | None, typer.Option("--L", metavar="P/Q", help="Smoothness.")] = None
    gradients: Annotated[
        str | None,
        typer.Option("--B", metavar="P/Q", help="Of gradients taken, and of those at x*."),
    ] = None
    heterogeneity: Annotated[
        str | None,
        typer.Option(metavar="P/Q", help="Root of the mean |grad f_i - grad f|^2, at every point."),
    ] = None
    start: Annotated[
        Sequence[str],
        typer.Option(
            metavar="NAME=VALUE",
            help="distance, gap or spread, at most VALUE; may come again.",
        ),
    ] = ()
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="distance, gap, gap-of-mean, gradient, mean-gradient or least-gradient.",
        ),
    ] = None
    certify: Annotated[
        bool, typer.Option("--certify", help="Prove it: a certificate that a file checks alone.")
    ] = False
    forever: Annotated[
        bool,
        typer.Option("--forever", help="A rate for all T, proved; --start spread=VALUE: a floor."),
    ] = False
    every_sequence: Annotated[
        str | None,
        typer.Option(
            metavar="P/Q",
            help="Push-sum on all sequences of networks on these edges, entries of at least P/Q.",
        ),
    ] = None
    every_spectrum: Annotated[
        str | None,
        typer.Option(
            metavar="LOW:HIGH",
            help="Subgradient descent on all symmetric networks with eigenvalues there, every n.",
        ),
    ] = None
    noise: Annotated[
        str | None,
        typer.Option(metavar="P/Q", help="Deviation of the gradients' noise; PROVED from above."),
    ] = None
    margin: Annotated[float, typer.Option(help="Of a claim over the value.")] = 1e-6
    bound: Annotated[
        str | None,
        typer.Option(metavar="P/Q", help="Is the worst value at most this? PROVED or VIOLATED."),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write certificates, their checker, functions, a page."),
    ] = None
    check: Annotated[
        Sequence[Path],
        typer.Option("--check", metavar="FILE.json", help="Check certificates, and nothing else."),
    ] = ()
    json_target: Json = None
    script_target: Script = None
    force: Force = False

    @property
    def theorem(self) -> bool:
        """Whether the name is that of a statement."""
        return "." in self.name and not self.name.endswith(".py")

    def work(self) -> int:
        if self.check:
            if self.name:
                raise Refused(f"worst: {self.name} came with --check; need one of them")
            from theorylab.commands.worst.case import checked

            return checked(self.check)
        if not self.name:
            raise Refused(
                "worst: no METHOD is given; need its name, or FILE.py, or --check FILE.json"
            )
        check_script(self.script_target, self.force)
        alone = {"--bound": self.bound, "--script": self.script_target}
        for flag, value in alone.items():
            if value and (self.forever or self.theorem):
                raise Refused(f"worst: {flag} is about a METHOD and a number of rounds")
        classes = {"--every-sequence": self.every_sequence, "--every-spectrum": self.every_spectrum}
        wide = [flag for flag, value in classes.items() if value is not None]
        if wide:
            clash = wide[1:] + ["--forever"] * self.forever + ["--noise"] * (self.noise is not None)
            if clash or "." in self.name:
                raise Refused(f"worst: {wide[0]} came with {clash[0] if clash else self.name}")
            from theorylab.commands.worst import networks

            if self.every_sequence is not None:
                return networks.over_sequences(self, self.every_sequence)
            return networks.over_spectra(self, str(self.every_spectrum))
        if self.theorem and not self.forever:
            from theorylab.commands.worst.theorem import theorem

            return theorem(self)
        from theorylab.commands.worst import case, forever
        from theorylab.commands.worst.asked import brought

        with brought(self) as named:
            return forever.shown(named) if self.forever else case.shown(named)
