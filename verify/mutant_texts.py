"""Which nodes of a module can be seen in a text alone: their mutants are counted apart.

Whether a sentence says "decade" or "unit" matters to its reader and to no verdict. The rule is
static, and a node is a text's only where all of this says so; what is in doubt counts as code.

* A *sentence* is an f-string or a string with a blank in it, such a string with another added, or
  a choice (``a if b else c``) between sentences. A key, a name or a path has no blank, and what
  ``join`` makes may be empty.
* Everything inside a sentence is a text's.
* So is the body of ``__str__``, ``__repr__``, ``__format__`` and ``_repr_html_``, and the body of a
  function ``-> str`` that returns sentences, or an attribute named ``text``, and at least one
  sentence. A function that may return "" is left out: its caller may ask whether there is a text.
  So is one that raises, or that calls something for its effect.
* So are the arguments of ``print``, ``warn`` and ``echo``, and of what pads and wraps: ``ljust``,
  ``rjust``, ``zfill``, ``shorten`` and ``indent``.
"""

from __future__ import annotations

import ast

_METHODS = ("__str__", "__repr__", "__format__", "_repr_html_", "_repr_latex_")
_TOLD = ("print", "warn", "echo")
_PADDED = ("ljust", "rjust", "zfill", "shorten", "indent")
_EFFECTS = ("append", "extend", "insert")  # on a list of lines: no other effect is a text's


def texts(tree: ast.AST) -> set[ast.AST]:
    """Every node of the tree whose change is seen in a text alone."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() if _tells(node):
                found |= {inner for line in node.body for inner in ast.walk(line)}
            case ast.IfExp() | ast.BinOp() | ast.Call() if _is_sentence(node):
                found |= set(ast.walk(node))
            case ast.Expr(value=ast.Call(func=called)) if _name(called) in ("print", "echo"):
                found |= set(ast.walk(node))
            case ast.Call(func=called) if _name(called) in (*_TOLD, *_PADDED):
                arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
                found |= {inner for each in arguments for inner in ast.walk(each)}
    return found


def _name(called: ast.AST) -> str:
    match called:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_sentence(node: ast.AST | None) -> bool:
    match node:
        case ast.Constant(value=str() as text):
            return " " in text.strip()
        case ast.JoinedStr(values=parts):
            return any(isinstance(p, ast.Constant) and " " in str(p.value) for p in parts)
        case ast.BinOp(op=ast.Add() | ast.Mod()):
            return _is_sentence(node.left) or _is_sentence(node.right)
        case ast.IfExp():
            return _is_sentence(node.body) and _is_sentence(node.orelse)
        case ast.Call(func=ast.Attribute(value=owner, attr="format")):
            return _is_sentence(owner)
    return False


def _tells(function: ast.FunctionDef) -> bool:
    """Whether all that the function does is to make a text for a reader."""
    inner = [node for line in function.body for node in ast.walk(line)]
    if any(isinstance(node, ast.Raise | ast.Yield | ast.FunctionDef) for node in inner):
        return False
    effects = [node.value for node in inner if isinstance(node, ast.Expr)]
    for effect in effects:
        known = isinstance(effect, ast.Call) and _name(effect.func) in _EFFECTS
        if not known and not isinstance(effect, ast.Constant):
            return False
    if function.name in _METHODS:
        return True
    if not (isinstance(function.returns, ast.Name) and function.returns.id == "str"):
        return False
    told = [node.value for node in inner if isinstance(node, ast.Return)]
    sentences = [_is_sentence(value) for value in told]
    neutral = [isinstance(value, ast.Attribute) and value.attr == "text" for value in told]
    return any(sentences) and all(a or b for a, b in zip(sentences, neutral, strict=True))
