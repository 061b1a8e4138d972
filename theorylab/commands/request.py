"""What the options of ``run`` and ``compare`` ask for, as the document of a configuration."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theorylab.commands.options import Place
from theorylab.commands.refusal import Refused, refusing
from theorylab.commands.run import Runs
from theorylab.exact import decimal_of, fraction_in

if TYPE_CHECKING:
    from theorylab.statements import Statement

Document = dict[str, Any]


def overlaid(
    base: Document, algorithm: str | None, asked: Runs, where: str, more: Sequence[str] = ()
) -> Document:
    """``base`` with what was asked for in its place; a part of another name replaces a part.

    ``--set``, and ``more`` of it, names an option of the algorithm, or any by its path, as in
    ``problem.dim``.

    Raises Refused for a flag that is no NAME=VALUE or no JSON.
    """
    if algorithm is not None:
        _check_algorithm(where, algorithm)
    graph = named_values(f"{where}: --topology-option", asked.topology_option)
    network = None if asked.topology is None else named_network(where, asked.topology)
    settings = named_values(f"{where}: --set", [*asked.settings, *more], paths=True)
    given: dict[str, Document] = {"": {}, "algorithm": {}, "problem": {}, "faults": {}}
    for _, place, value in asked.marked(Place):
        part, _, name = place.path.rpartition(".")
        given[part][name] = value
    losses = named_values(f"{where}: --problem-option", asked.problem_option)
    own = {name: value for name, value in settings.items() if "." not in name}
    parts = {
        "algorithm": (algorithm, given["algorithm"] | own),
        "problem": (asked.problem, losses | given["problem"]),
        "topology": (network, graph),
    }
    document = dict(base)
    for kind, (named, options) in parts.items():
        old = document.get(kind)
        if old is None and named is None:
            raise Refused(f"{where}: {_missing(kind)}")
        document[kind] = {**part_named(where, kind, old, named), **options}
    paths = {path: value for path, value in settings.items() if "." in path}
    if paths:
        from theorylab.runs.paths import put

        if any(path.startswith("faults.") for path in paths) and document.get("faults") is None:
            document["faults"] = {}
        for path, value in paths.items():
            with refusing():
                put(f"{where}: --set", document, path, value)
    document |= given[""]
    if document.get("rounds") is None:
        raise Refused(f"{where}: --rounds is missing; need the number of communication rounds")
    if asked.x0 is not None:
        document["x0"] = _json(f"{where}: --x0", asked.x0)
    if asked.columns is not None:
        document["columns"] = [name.strip() for name in asked.columns.split(",")]
    faults = given["faults"] | named_values(f"{where}: --fault", asked.fault)
    if faults:
        old = document.get("faults") or {}
        if not isinstance(old, dict):
            raise Refused(f"{where}: faults is {old!r}; need an object")
        document["faults"] = {**old, **faults}
    return document


def one_statement(selection: Sequence[str], asked: str = "") -> tuple[Statement, str | None]:
    """The statement that is selected, and the file that it is in; ValueError where it is not one.

    asked: what was asked for of it."""
    from theorylab.verdicts import selected

    found = selected(selection)
    if len(found) != 1 or not selection:
        what = asked or f"{' '.join(selection)} names"
        raise ValueError(f"{what} {len(found)} statements; need one, by its id or FILE.py")
    ((statement, file),) = found.values()
    return statement, file


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
    from theorylab.commands.run.task import NAME

    with refusing(where):
        if name != NAME:
            ALGORITHMS.find(name)


def _missing(kind: str) -> str:
    if kind == "algorithm":
        return "no ALGORITHM is given; need one, or --config, or --resume with --out"
    return f"--{kind} is missing; need its name, or --config"
