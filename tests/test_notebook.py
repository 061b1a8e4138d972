"""The notebook of docs/ runs from its first cell to its last, and shows what it holds."""

import ast
import json
import pathlib
import re

from theorylab.registry import restored

FACTS = ("verdict", "severity", "measured", "interval", "bound (&lt;=)", "ratio", "instance")
BOOK = pathlib.Path(__file__).resolve().parents[1] / "docs/first-verdict.ipynb"


def shown(cell, scope):
    """What a notebook shows of the cell: its last line, where that is an expression."""
    body = ast.parse("".join(cell["source"])).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), scope)
    if last is None:
        return {}
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), scope)
    html = getattr(value, "_repr_html_", None)
    return {"text/plain": repr(value)} if html is None else {"text/html": html()}


def facts(outputs):
    """Of a verdict's table the rows of numbers: sentences beside them may be worded anew."""
    if "text/html" not in outputs:
        return outputs
    rows = dict(re.findall(r"<td[^>]*>(.*?)</td><td[^>]*>(.*?)</td>", outputs["text/html"]))
    return {name: rows[name] for name in FACTS if name in rows}


def test_every_cell_shows_what_the_notebook_holds_and_the_last_is_a_verdict():
    cells = [cell for cell in json.loads(BOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    scope = {}
    with restored():
        for place, cell in enumerate(cells, 1):
            kept = {
                kind: "".join(lines)
                for output in cell["outputs"]
                for kind, lines in output["data"].items()
            }
            assert facts(shown(cell, scope)) == facts(kept)
            assert cell["execution_count"] == place
    assert facts(kept)["verdict"] == "VIOLATED"
    assert len(facts(kept)) == len(FACTS)
