"""The flags of ``theorylab worst``; its work is imported when it is called.

``theorylab --help`` imports this module, so it imports nothing that takes time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.refusal import Refused
from theorylab.commands.scripted import Force, Script, check_script
from theorylab.commands.simulation import Json


def worst(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="METHOD|FILE.py|ID",
            help="By name, a file with one, or a theorem.",
            show_default=False,
        ),
    ] = None,
    clients: Annotated[
        str, typer.Option(metavar="N|A:B", help="How many; a range: a curve.")
    ] = "1",
    rounds: Annotated[str, typer.Option(metavar="T|A:B", help="How many; a range: a curve.")] = "1",
    network: Annotated[
        str, typer.Option(metavar="NAME|FILE.json", help="Name, or an edge list.")
    ] = "complete",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Of the method (eta=1/3), or topology.NAME=VALUE; may come again.",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="NAME",
            help="smooth (if omitted), convex, smooth-strongly-convex, bounded-gradient, nonconvex",
        ),
    ] = None,
    mu: Annotated[str | None, typer.Option(metavar="P/Q", help="Curvature of every f_i.")] = None,
    smooth: Annotated[str | None, typer.Option("--L", metavar="P/Q", help="Smoothness.")] = None,
    gradients: Annotated[
        str | None,
        typer.Option("--B", metavar="P/Q", help="Of gradients taken, and of those at x*."),
    ] = None,
    heterogeneity: Annotated[
        str | None,
        typer.Option(metavar="P/Q", help="Root of the mean |grad f_i - grad f|^2, at every point."),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="distance, gap or spread, at most VALUE; may come again.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="distance, gap, gap-of-mean, gradient, mean-gradient or least-gradient.",
        ),
    ] = None,
    certify: Annotated[
        bool, typer.Option("--certify", help="Prove it: a certificate that a file checks alone.")
    ] = False,
    forever: Annotated[
        bool,
        typer.Option("--forever", help="A rate for all T, proved; --start spread=VALUE: a floor."),
    ] = False,
    every_sequence: Annotated[
        str | None,
        typer.Option(
            metavar="P/Q",
            help="Push-sum on all sequences of networks on these edges, entries of at least P/Q.",
        ),
    ] = None,
    every_spectrum: Annotated[
        str | None,
        typer.Option(
            metavar="LOW:HIGH",
            help="Subgradient descent on all symmetric networks with eigenvalues there, every n.",
        ),
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(metavar="P/Q", help="Deviation of the gradients' noise; PROVED from above."),
    ] = None,
    margin: Annotated[float, typer.Option(help="Of a claim over the value.")] = 1e-6,
    bound: Annotated[
        str | None,
        typer.Option(metavar="P/Q", help="Is the worst value at most this? PROVED or VIOLATED."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write certificates, the checker, functions, a picture."),
    ] = None,
    check: Annotated[
        list[Path] | None,
        typer.Option("--check", metavar="FILE.json", help="Check certificates, and nothing else."),
    ] = None,
    json_target: Json = None,
    script_target: Script = None,
    force: Force = False,
) -> None:
    """The worst case of a method over all functions of a class, and a proof of it."""
    if check:
        if name is not None:
            raise Refused(f"worst: {name} came with --check; need one of them")
        from theorylab.commands.worst_case import checked

        raise typer.Exit(checked(check))
    if name is None:
        raise Refused("worst: no METHOD is given; need its name, or FILE.py, or --check FILE.json")
    from theorylab.commands.worst_asked import Asked, brought, number

    check_script(script_target, force, json_target)
    asked = Asked(
        name, clients, rounds, network, settings or [], kind, mu, smooth, gradients, heterogeneity,
        start or [], metric, None if forever else noise,
    )  # fmt: skip
    alone = [flag for flag, value in (("--bound", bound), ("--script", script_target)) if value]
    if alone and (forever or ("." in name and not name.endswith(".py"))):
        raise Refused(f"worst: {alone[0]} is about a METHOD and a number of rounds")
    classes = {"--every-sequence": every_sequence, "--every-spectrum": every_spectrum}
    wide = [(flag, value) for flag, value in classes.items() if value is not None]
    if wide:
        clash = (
            [f for f, _ in wide[1:]] + ["--forever"] * forever + ["--noise"] * (noise is not None)
        )
        if clash or "." in name:
            raise Refused(f"worst: {wide[0][0]} came with {clash[0] if clash else name}")
        from theorylab.commands import worst_networks

        (flag, value), *_ = wide
        if flag == "--every-spectrum":
            raise typer.Exit(worst_networks.over_spectra(asked, value, out, json_target))
        raise typer.Exit(worst_networks.over_sequences(asked, value, out, json_target))
    if forever:
        from theorylab.commands import worst_forever

        with brought(asked) as named:
            code = worst_forever.shown(named, noise=noise, out=out, json_target=json_target)
        raise typer.Exit(code)
    if "." in name and not name.endswith(".py"):
        from theorylab.commands.worst_theorem import theorem

        raise typer.Exit(theorem(asked, out, json_target))
    from theorylab.commands.worst_case import shown

    most = None if bound is None else number("--bound", bound)
    with brought(asked) as named:
        code = shown(
            named, certify=certify, margin=margin, bound=most,
            out=out, json_target=json_target, script_target=script_target,
        )  # fmt: skip
    raise typer.Exit(code)
