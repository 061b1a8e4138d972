"""What the flags of ``run`` and ``compare`` ask for, as the document of a configuration."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorylab.commands.refusal import Refused, refusing
from theorylab.exact import decimal_of, fraction_in

Document = dict[str, Any]


@dataclass(frozen=True)
class Flags:
    """What was given on the command line; None or () where nothing was."""

    problem: str | None = None
    problem_options: Sequence[str] = ()
    topology: str | None = None
    topology_options: Sequence[str] = ()
    clients: int | None = None
    rounds: int | None = None
    seeds: int | None = None
    seed: int | None = None
    eta: float | None = None
    outer_steps: int | None = None
    terms: int | None = None
    options: Sequence[str] = ()
    x0: str | None = None
    every: int | None = None
    columns: str | None = None
    dtype: str | None = None
    device: str | None = None
    own_graphs: bool | None = None
    loss: float | None = None
    failing: float | None = None
    delay: int | None = None
    stragglers: float | None = None
    faults: Sequence[str] = ()


def overlaid(base: Document, algorithm: str | None, flags: Flags, where: str) -> Document:
    """``base`` with what the flags say in its place; a part of another name replaces a part.

    ``--set`` names an option of the algorithm, or any by its path, as in ``problem.dim``.

    Raises Refused for a flag that is no NAME=VALUE or no JSON.
    """
    if algorithm is not None:
        _check_algorithm(where, algorithm)
    own = {key: getattr(flags, key) for key in ("eta", "outer_steps", "terms")}
    own = {key: value for key, value in own.items() if value is not None}
    device = {} if flags.device is None else {"device": flags.device}
    graph = named_values(f"{where}: --topology-option", flags.topology_options)
    network = None if flags.topology is None else named_network(where, flags.topology)
    settings = named_values(f"{where}: --set", flags.options, paths=True)
    parts = {
        "algorithm": (algorithm, own | {k: v for k, v in settings.items() if "." not in k}),
        "problem": (
            flags.problem,
            named_values(f"{where}: --problem-option", flags.problem_options) | device,
        ),
        "topology": (network, graph),
    }
    made = dict(base)
    for kind, (named, options) in parts.items():
        old = made.get(kind)
        if old is None and named is None:
            raise Refused(f"{where}: {_missing(kind)}")
        made[kind] = {**part_named(where, kind, old, named), **options}
    paths = {path: value for path, value in settings.items() if "." in path}
    if paths:
        from theorylab.runs.paths import put

        if any(path.startswith("faults.") for path in paths) and made.get("faults") is None:
            made["faults"] = {}
        for path, value in paths.items():
            with refusing():
                put(f"{where}: --set", made, path, value)
    plain = {
        key: getattr(flags, key)
        for key in ("clients", "rounds", "seeds", "seed", "every", "dtype", "own_graphs")
    }
    made |= {key: value for key, value in plain.items() if value is not None}
    if made.get("rounds") is None:
        raise Refused(f"{where}: --rounds is missing; need the number of communication rounds")
    if flags.x0 is not None:
        made["x0"] = _json(f"{where}: --x0", flags.x0)
    if flags.columns is not None:
        made["columns"] = [name.strip() for name in flags.columns.split(",")]
    faults = {key: getattr(flags, key) for key in ("loss", "failing", "delay", "stragglers")}
    given = {key: value for key, value in faults.items() if value is not None}
    given |= named_values(f"{where}: --fault", flags.faults)
    if given:
        old = made.get("faults") or {}
        if not isinstance(old, dict):
            raise Refused(f"{where}: faults is {old!r}; need an object")
        made["faults"] = {**old, **given}
    return made


def part_named(where: str, kind: str, old: Any, named: str | Document | None) -> Document:
    """``named_part``; raises Refused."""
    from theorylab.runs.paths import named_part

    with refusing():
        return named_part(where, kind, old, named)


def named_network(where: str, name: str) -> Document:
    """A network by its name, or by the path of an edge list."""
    with refusing(f"{where}: --topology {name}"):  # a name can be longer than a path may be
        file = name.endswith(".json") or Path(name).is_file()
    return {"name": "edge-list", "path": name} if file else {"name": name}


def named_values(
    where: str, given: Sequence[str], paths: bool = False, exact: bool = False
) -> Document:
    """``name=value`` each; a value that is JSON is taken as such, else as text.

    paths: a name may be a path, as in ``algorithm.eta``. exact: a decimal that no float64 prints,
    and a fraction, come as "p/q"; ``Refused`` where no float64 is near.
    """
    made: Document = {}
    for item in given:
        name, equals, text = item.partition("=")
        words = name.split(".") if paths else [name]
        places = words[1:] if paths else []
        fits = all(word.isidentifier() or (word in places and word.isdecimal()) for word in words)
        if not equals or not fits:
            raise Refused(f"{where} is {item!r}; need {'PATH' if paths else 'NAME'}=VALUE")
        if name in made:
            raise Refused(f"{where}: {name} comes twice; need it once")
        try:
            made[name] = _value(f"0{text}" if _decimal(text) else text, exact)
        except json.JSONDecodeError:
            made[name] = text
        except (ValueError, RecursionError) as error:  # an integer without end, or a nest
            need = "" if "; need " in str(error) else "; need less of it"
            raise Refused(f"{where}: {name}: {error}{need}") from None
    return made


def _value(text: str, exact: bool) -> Any:
    """What a JSON text holds; json.JSONDecodeError where it is none."""
    if not exact:
        return json.loads(text, parse_constant=str)
    if fraction_in(text) is not None:
        return text
    return json.loads(text, parse_constant=str, parse_float=decimal_of)


def parted(where: str, given: Sequence[str], parts: Sequence[str]) -> dict[str, Document]:
    """The options of each of ``parts``, given as PART.NAME=VALUE, or as NAME=VALUE of the first."""
    made: dict[str, Document] = {part: {} for part in parts}
    for path, value in named_values(where, given, paths=True).items():
        part, dot, name = path.rpartition(".")
        if dot and part not in made:
            raise Refused(f"{where} is {path!r}; need {' or '.join(f'{p}.{name}' for p in parts)}")
        made[part if dot else parts[0]][name] = value
    return made


def read_document(path: Path) -> Document:
    """The configuration in a JSON file; of a run.json, the one of that run.

    Raises Refused: one line saying what is wrong with the file.
    """
    content, text = read_json(f"--config {path}", path, "a configuration")
    if "configuration" in content:
        from theorylab.runs.record import record

        with refusing(f"--config {path}"):
            content = json.loads(record(text).configuration.model_dump_json())
    return content


def read_json(
    where: str, path: Path, what: str, parse_float: Callable[[str], Any] = float
) -> tuple[Document, str]:
    """The object in a JSON file, and its text.

    Raises Refused: one line, starting with ``where``, saying what is wrong with the file. what: is
    needed.
    """
    from theorylab.kernels import read_text

    try:
        text = read_text(path)
        content = json.loads(text, parse_constant=str, parse_float=parse_float)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Refused(f"{where}: {reason}; need a file that can be read") from None
    except UnicodeDecodeError:
        raise Refused(f"{where}: not UTF-8 text; need JSON") from None
    except json.JSONDecodeError as error:
        raise Refused(
            f"{where}: line {error.lineno} column {error.colno}: {error.msg}; need JSON"
        ) from None
    except RecursionError:
        raise Refused(f"{where}: nested too deep; need {what}") from None
    except ValueError as error:  # an integer without end, a path with a zero byte
        raise Refused(f"{where}: {error}; need {what}") from None
    if not isinstance(content, dict):
        raise Refused(f"{where}: holds a {type(content).__name__}; need an object")
    return content, text


def _decimal(text: str) -> bool:
    """.5 is no JSON, and yet what people type."""
    return text.startswith(".") and text[1:].isdecimal() and text.isascii()


def _json(where: str, text: str) -> Any:
    if _decimal(text):
        return float(text)
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        raise Refused(f"{where} is {text!r}; need a number or a JSON list of numbers") from None


def _check_algorithm(where: str, name: str) -> None:
    """Refuse a name that is none before anything else is asked for."""
    from theorylab.algorithms import ALGORITHMS
    from theorylab.commands.task import NAME

    with refusing(where):
        if name != NAME:
            ALGORITHMS.find(name)


def _missing(kind: str) -> str:
    if kind == "algorithm":
        return "no ALGORITHM is given; need one, or --config, or --resume with --out"
    return f"--{kind} is missing; need its name, or --config"
