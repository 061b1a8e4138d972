"""Losses as formulas, from the options of a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from theorylab.formulas import read
from theorylab.problems import PROBLEMS, FormulaProblem

_LONG = 60  # characters of a text
_MOST = 6  # numbers of a list that are written out


def number(value: Any) -> str:
    """``.1``, ``2``, ``1e-07``: as short as it reads; what is no number as its text, cut."""
    try:
        text = f"{float(value):.6g}"
    except (TypeError, ValueError, OverflowError):
        return one_line(str(value))
    if text.startswith("0."):
        return text[1:]
    return "-" + text[2:] if text.startswith("-0.") else text


def vector(values: Any) -> str:
    """``(1, 2, 3)``, ``((1, 0), (0, 1))``, ``1, alike``; long ones by their length."""
    if not isinstance(values, list):
        return number(values)
    flat = _flat(values)
    alone = all(isinstance(v, list) and len(v) == 1 for v in values)
    if alone and values:
        return vector([v[0] for v in values])
    if len(values) > 3 and all(v == values[0] for v in values) and not isinstance(values[0], list):
        return f"{vector(values[0])} for all"
    if any(isinstance(v, dict) for v in values):
        return f"{len(values)} of them"
    if len(flat) > _MOST:
        return f"({', '.join(_one(v) for v in values[:2])}, ..., {len(values)} of them)"
    return f"({', '.join(vector(v) if isinstance(v, list) else _one(v) for v in values)})"


def one_line(text: str, longest: int = _LONG) -> str:
    """Printable ASCII, without line ends, and not longer than ``longest``."""
    clean = " ".join(text.encode("ascii", "backslashreplace").decode().split())
    clean = "".join(letter if letter.isprintable() else "?" for letter in clean)
    return clean if len(clean) <= longest else f"{clean[: longest - 3]}..."


def losses(problem: Mapping[str, Any], clients: Any = 1) -> str:
    """``f_i(x) = ...`` of a problem by its options; its name and options where it has no formula.

    Whatever the options are, the answer is one line of text: it is for reading, and judges nothing.
    """
    name = str(problem["name"])
    write = _FORMULAS.get(name)
    if write is not None:
        return write(problem)
    given = {key: value for key, value in problem.items() if key != "name"}
    if (told := _of_function(name, given, clients)) is not None:
        return told
    told = ", ".join(f"{key} = {vector(value)}" for key, value in list(given.items())[:8])
    return f"{one_line(name)} losses" + (f" ({told})" if told else "")


def _of_function(name: str, given: Mapping[str, Any], clients: Any) -> str | None:
    """A loss that is one function, read; None where it is none, or its options are wrong."""
    if name not in PROBLEMS or not issubclass(PROBLEMS[name], FormulaProblem):
        return None
    try:
        formula = PROBLEMS[name](clients, **given).formula
        assert formula is not None
        value = formula.retraced(0, formula.plain)[0]
    except (TypeError, ValueError):
        return None
    letters = {key: f"{key}_i" if key in formula.each else key for key in formula.data}
    parts = [f"f_i(x) = {read(value, {**letters, 'x': 'x'}, number)}"]
    parts += [f"x in R^{formula.dim}"] if formula.dim > 1 else []
    return ", ".join([*parts, *_drawn(given, *(k for k in formula.data if k not in formula.plain))])


def _one(value: Any) -> str:
    return vector(value) if isinstance(value, list) else number(value)


def _flat(values: Any) -> list[Any]:
    if not isinstance(values, list):
        return [values]
    return [inner for value in values for inner in _flat(value)]


def _alike(values: Any) -> float | None:
    """The number that a nested list holds alone; None where there are several."""
    flat = _flat(values)
    same = bool(flat) and all(isinstance(v, (int, float)) and v == flat[0] for v in flat)
    return float(flat[0]) if same else None


def _scaled(factor: Any, text: str) -> str:
    """``text`` times a factor; 1 is not written."""
    return text if factor == 1 else f"{number(factor)} {text}"


def _minus(variable: str, letter: str, values: Any) -> tuple[str, str]:
    """``(x - 2)`` and nothing, or ``(x - c_i)`` and ``c = (1, 2)``."""
    same = _alike(values)
    if same is None:
        return f"({variable} - {letter}_i)", f"{letter} = {vector(values)}"
    if same == 0:
        return variable, ""
    return f"({variable} {'-' if same > 0 else '+'} {number(abs(same))})", ""


def _drawn(problem: Mapping[str, Any], *names: str) -> list[str]:
    return [f"{name} = {vector(problem[name])}" for name in names if name in problem]


def _noise(problem: Mapping[str, Any]) -> list[str]:
    return [f"sigma = {number(problem['sigma'])}"] if problem.get("sigma") else []


def _separable(function: str) -> Callable[[Mapping[str, Any]], str]:
    def write(problem: Mapping[str, Any]) -> str:
        told: list[str] = []
        if "spread" in problem:
            inside, told = "(x - c_i)", _drawn(problem, "spread", "seed")
        else:
            centers = problem.get("centers", problem.get("center", 0))
            inside, where = _minus("x", "c", centers)
            told = [where] if where else []
        inside = inside if inside.startswith("(") else f"({inside})"
        scale = problem.get("scale", 1)
        dim = problem.get("dim", 1)
        told += [f"x in R^{dim}"] if dim != 1 else []
        told += _drawn(problem, "clip") + _noise(problem)
        return ", ".join([f"f_i(x) = {_scaled(scale, function + inside)}", *told])

    return write


def _quadratic(problem: Mapping[str, Any]) -> str:
    if "H" not in problem or "c" not in problem:
        told = _drawn(problem, "dim", "mu", "L", "heterogeneity", "seed") + _noise(problem)
        return ", ".join(["f_i(x) = (x - c_i)^T H_i (x - c_i)/2, drawn", *told])
    inside, where = _minus("x", "c", problem["c"])
    curvature = _alike(problem["H"])
    told = [where] if where else []
    if curvature is None:
        told.insert(0, f"H = {vector(problem['H'])}")
        square = f"H_i {inside}^2/2"
    else:
        square = _scaled(curvature, f"{inside}^2/2")
    return ", ".join([f"f_i(x) = {square}", *told, *_noise(problem)])


def _square(letter: str, curvature: Any, variable: str, center: str, values: Any) -> list[str]:
    """The summand, and what its letters are; nothing where the curvature is 0."""
    same = _alike(curvature)
    inside, where = _minus(variable, center, values)
    if same == 0:
        return []
    if same is None:
        return [f"{letter}_i {inside}^2/2", f"{letter} = {vector(curvature)}", where]
    return [_scaled(same, f"{inside}^2/2"), "", where]


def _coupled(problem: Mapping[str, Any]) -> str:
    given = {"a", "b"} <= set(problem) and "A" in problem
    extra = [f"{k} = {number(problem[k])}" for k in ("sigma_u", "sigma_v") if problem.get(k)]
    if not given:
        told = _drawn(problem, "mu_u", "L_u", "mu_v", "L_v", "coupling", "heterogeneity", "seed")
        return ", ".join(["f_i(u, v) = coupled quadratic, drawn", *told, *extra])
    parts = [
        _square("A", problem["A"], "u", "a", problem["a"]),
        _square("B", problem.get("B", 1), "v", "b", problem["b"]),
    ]
    link = _alike(problem.get("C", 0))
    left, right = _minus("u", "a", problem["a"])[0], _minus("v", "b", problem["b"])[0]
    if link is None:
        parts.append([f"C_i {left} {right}", f"C = {vector(problem['C'])}", ""])
    elif link:
        parts.append([_scaled(link, f"{left} {right}"), "", ""])
    return _summed(parts, extra)


def _sines(problem: Mapping[str, Any]) -> str:
    if not {"A", "B", "a", "b", "c"} <= set(problem):
        told = _drawn(problem, "coupling", "heterogeneity", "seed", "sigma_u", "sigma_v")
        return ", ".join(["f_i(u, v) = quadratics + c_i sin(u) sin(v), drawn", *told])
    parts = [
        _square("A", problem["A"], "u", "a", problem["a"]),
        _square("B", problem["B"], "v", "b", problem["b"]),
    ]
    same = _alike(problem["c"])
    link = "c_i sin(u) sin(v + phi_i)"
    phases = f"phi = {vector(problem['phases'])}" if "phases" in problem else ""
    if _alike(problem.get("phases", 0)) == 0:
        link, phases = "c_i sin(u) sin(v)", ""
    if same is None:
        parts.append([link, f"c = {vector(problem['c'])}", phases])
    elif same:
        parts.append([link.replace("c_i", number(same)), "", phases])
    extra = [f"{k} = {number(problem[k])}" for k in ("sigma_u", "sigma_v") if problem.get(k)]
    return _summed(parts, extra)


def _rippled(problem: Mapping[str, Any]) -> str:
    parts = [
        _square("A", problem.get("A", 1), "u", "a", problem.get("a", 0)),
        [_scaled(problem.get("r", 1), "(1 - cos u)"), "", ""],
        _square("B", problem.get("B", 1), "v", "b", problem.get("b", 0)),
    ]
    return _summed(parts, [])


def _summed(parts: list[list[str]], extra: list[str]) -> str:
    terms = [part[0] for part in parts if part]
    where = [text for part in parts for text in part[1:] if text]
    total = " + ".join(terms).replace("+ -", "- ") or "0"
    return ", ".join([f"f_i(u, v) = {total}", *dict.fromkeys(where), *extra])


def _noisy(problem: Mapping[str, Any]) -> str:
    base = problem.get("base")
    whole = isinstance(base, Mapping) and "name" in base
    inner = losses(dict(base or {})) if whole else one_line(str(base))
    told = [f"{key} = {vector(problem[key])}" for key in ("sigma", "length") if key in problem]
    return ", ".join([inner, f"{problem.get('field', 'gaussian')} noise", *told])


_FORMULAS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "quadratic": _quadratic,
    "log-cosh": _separable("log cosh"),
    "clipped-linear": _separable("huber"),
    "coupled-quadratic": _coupled,
    "sin-sin": _sines,
    "rippled": _rippled,
    "noisy": _noisy,
}
