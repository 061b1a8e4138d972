"""What the command line of ``theorylab worst`` asks for, as objects. Bad input raises Refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from theorylab import exact
from theorylab.algorithms import ALGORITHMS, Algorithm, algorithm
from theorylab.commands.constants.slack import check_folder
from theorylab.commands.importing import brought_in, only_of
from theorylab.commands.refusal import Refused, refusing
from theorylab.commands.request import named_network, named_values
from theorylab.commands.worst import Worst
from theorylab.report.atomic import check_writable
from theorylab.topologies import Topology, topology
from theorylab.worst import Functions
from theorylab.worst.certificate import CHECKER, Kept
from theorylab.worst.rationals import rational, written

CLASSES = {  # mu, L, B where the flags do not say; None: it has none
    "convex": ("0", None, None),
    "smooth": ("0", "1", None),
    "smooth-strongly-convex": ("1/10", "1", None),
    "bounded-gradient": ("0", None, "1"),
    "nonconvex": (None, "1", None),
}
MOST = 100  # points of a curve


@contextmanager
def brought(asked: Worst) -> Iterator[Worst]:
    """The same with the name of the method of FILE.py, which is imported for what is inside."""
    if not asked.name.endswith(".py"):
        yield asked
        return
    with brought_in([asked.name]):
        yield asked.replaced(name=only_of("worst", ALGORITHMS, asked.name))


def check_out(out: Path | None, *names: str) -> None:
    """Refuse a folder in which a certificate, or one of ``names``, could not be written."""
    if out is not None:
        check_folder(out)
        for name in (*names, CHECKER.name) if out.is_dir() else ():
            with refusing(f"--out {out}"):
                check_writable(out / name)


def kept(made: Kept, out: Path, name: str) -> str:
    """The line that tells how a certificate is checked, which is written here."""
    with refusing(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
        made.save(out / name)
    return f"check it: python -I {CHECKER.name} {name} in {out}"


def span(flag: str, text: str) -> list[int]:
    first, colon, last = text.partition(":")
    try:
        low = int(first)
        high = int(last) if colon else low
    except ValueError:
        low, high = 0, 0
    if not 1 <= low <= high <= low + MOST:
        raise Refused(f"worst: {flag} is {text!r}; need a number >= 1, or a range such as 2:5")
    return list(range(low, high + 1))


def asked_method(asked: Worst) -> tuple[Algorithm, dict[float, Fraction], dict[str, Any]]:
    """The method, the fractions behind its floats, and the network's options."""
    given = named_values("worst: --set", asked.settings, paths=True, exact=True)
    graph = {k.partition(".")[2]: v for k, v in given.items() if k.startswith("topology.")}
    own, fractions = exact.floated({k: v for k, v in given.items() if "." not in k})
    wrong = [k for k in given if "." in k and not k.startswith("topology.")]
    if wrong:
        raise Refused(f"worst: --set {wrong[0]}: need NAME=VALUE or topology.NAME=VALUE")
    with refusing("worst"):
        return algorithm(asked.name, **own), fractions, graph


def told_method(asked: Worst, method: Algorithm, fractions: dict[float, Fraction]) -> str:
    """The method with what was set of it, where a number is the rational that it is taken as."""
    names = [item.partition("=")[0] for item in asked.settings]
    options, parts = method.options(), []
    for name in (name for name in names if "." not in name):
        value = options[name]
        with written(fractions):
            said = str(rational(value)) if isinstance(value, float) else str(value)
        parts.append(f"{name} = {said}")
    return f"{method.name} ({', '.join(parts)})" if parts else method.name


def asked_network(name: str, clients: int, options: dict[str, Any]) -> Topology:
    named = named_network("worst", name)
    path = {"path": named["path"]} if "path" in named else {}
    return topology(named["name"], clients, **path, **options)


def number(flag: str, text: str) -> Fraction:
    with refusing(f"worst: {flag}"):
        try:
            return exact.fraction_in(text) or Fraction(text)
        except (ValueError, ZeroDivisionError):
            raise ValueError(f"{text!r} is no number; need a decimal, or p/q") from None


def asked_functions(asked: Worst) -> Functions:
    name = asked.kind or ("smooth-strongly-convex" if asked.mu else "smooth")
    if name not in CLASSES:
        raise Refused(f"worst: --class is {name!r}; need one of {', '.join(CLASSES)}")
    given = (asked.mu, asked.smooth, asked.gradients)
    parts = []
    for flag, default, text in zip(("--mu", "--L", "--B"), CLASSES[name], given, strict=True):
        value = default if text is None else text
        parts.append(None if value is None else number(flag, value))
    flags = (("--heterogeneity", asked.heterogeneity), ("--noise", asked.noise))
    apart, noise = (None if text is None else number(flag, text) for flag, text in flags)
    mu, L, B = parts
    if mu is None:
        mu = -(L or Fraction(1))
    with refusing("worst"):
        return Functions(mu, L, B, apart, noise)


def asked_start(asked: Worst) -> dict[str, Fraction]:
    made = {}
    for item in asked.start:
        name, equals, text = item.partition("=")
        if not equals:
            raise Refused(f"worst: --start is {item!r}; need NAME=VALUE, such as distance=1")
        made[name] = number(f"--start {name}", text)
    return made
