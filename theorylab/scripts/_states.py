"""The state of a script's rounds as arrays with names, and what the network does to them."""

from __future__ import annotations

import ast
import copy
from typing import Any

from theorylab.scripts._dotted import Written
from theorylab.scripts._draws import Draws
from theorylab.scripts._functions import Functions
from theorylab.scripts._syntax import (
    ClassfulError,
    StateOf,
    assigned,
    expression,
    named,
    renamed,
    stored,
)
from theorylab.scripts.text import identifier

_ORDER = ("x", "z", "w", "v", "memory")  # of the arguments of ``net.next``
_ONES = "np.ones({}.shape[:2])"


class States(Functions):
    """Functions whose states are arrays. part: the objects by what they are; first, loop: the lines
    before the rounds and the rounds; P: the network's name; out: the lines that are made."""

    part: dict[str, Any]
    draws: Draws
    first: list[ast.stmt]
    loop: ast.For
    globals: set[str]
    P: str
    fixed: bool
    alone: bool

    def __init__(self, texts: ast.Module, objects: dict[str, Any], taken: set[str]) -> None:
        super().__init__(texts, objects, taken)
        self.out, self.live, self.state = list[ast.stmt](), dict[str, str](), StateOf({})
        self.shape: dict[str, ast.expr] | None = None  # of a built-in method's state
        self.whole = False  # the memory is one dictionary

    # What the network does

    def special(self, write: Written, owner: Any, name: str, call: ast.Call) -> ast.expr | None:
        if owner is not self.part["net"]:
            return None
        if name == "gradient":
            problem = self.part["problem"]
            text, home = self.method(problem, "gradient")
            asked = ast.Call(named("gradient"), call.args[:1], [])
            found = self.called(text, {text.args.args[0].arg: problem}, home, asked, write)
            k = call.args[1] if len(call.args) > 1 else ast.Constant(0)
            k = next((w.value for w in call.keywords if w.arg == "k"), k)
            x = write.visit(copy.deepcopy(call.args[0]))
            return self.draws.noisy(found, x, write.visit(copy.deepcopy(k)))
        if name == "mix":
            return self._mixed(write, call)
        if name == "coins":
            return self.draws.coin()
        if name == "next":
            raise ClassfulError("a state inside of a round")
        return None

    def _mixed(self, write: Written, call: ast.Call) -> ast.expr:
        network = [word.value for word in call.keywords]
        P = f"{self.P}[{ast.unparse(write.visit(network[0]))}]" if network else self.P
        P = P if self.fixed else f"{P}[t % len({P})]"
        made = []
        for each in call.args:
            weights = isinstance(each, ast.Attribute) and each.attr == "w"
            x = ast.unparse(write.visit(each))
            x = x if x.isidentifier() else f"({x})"
            made.append(x if self.alone else f"{x} @ {P}.T" if weights else f"{P} @ {x}")
        return expression(", ".join(made))

    # The state

    def _fields(self, write: Written, node: ast.expr) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is new of a state, and of its memory."""
        if isinstance(write.value(node), StateOf):
            return {}, {}
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or any(w.arg is None for w in node.keywords):
            raise ClassfulError("a state")
        words = {str(word.arg): word.value for word in node.keywords}
        fields, memory = dict[str, Any](), dict[str, Any]()
        if called == "super().init":
            return {"x": named("x0")}, {}
        if called == "State":
            words |= dict(zip(("t", "x", "w", "z", "v", "memory"), node.args, strict=False))
        elif called.rpartition(".")[2] in ("next", "replace") and node.args:
            fields, memory = self._fields(write, node.args[0])
            words |= dict(zip(_ORDER, node.args[1:], strict=False))
            if called == "replace" and {*words} & {"x", "w"} and "z" not in words:
                raise ClassfulError("a state without z")
        else:
            raise ClassfulError(called)
        words.pop("t", None)
        held = words.pop("memory", None)
        if held is not None:
            merged = called.endswith(".next")
            memory |= self._memory(write, held, merged)
        return fields | {key: write.visit(value) for key, value in words.items()}, memory

    def _memory(self, write: Written, held: ast.expr, merged: bool) -> dict[str, Any]:
        """By key, or as one dictionary, under "", where keys are computed."""
        if self.whole:
            made = write.visit(held)
            return {"": ast.BinOp(named("memory"), ast.BitOr(), made) if merged else made}
        assert isinstance(held, ast.Dict)
        pairs = zip(held.keys, held.values, strict=True)
        return {ast.literal_eval(key): write.visit(value) for key, value in pairs}  # type: ignore[arg-type]

    def schedule(self, owner: Any) -> ast.Lambda:
        lines = [each for each in self.first if ast.unparse(each).startswith("algorithm")]
        words = [n for each in lines for n in ast.walk(each) if isinstance(n, ast.keyword)]
        (eta,) = (word.value for word in words if word.arg == "eta")
        if not isinstance(eta, ast.Lambda):
            raise ClassfulError("a schedule")
        return eta

    def begin(self, write: Written, node: ast.Return) -> ast.stmt:
        assert node.value is not None
        self.begun = self._fields(write, node.value)
        return node

    def stepped(self, write: Written, node: ast.expr) -> ast.expr:
        fields, memory = self._fields(write, node)
        found = []
        for key, name in self.live.items():
            value = memory.get(key[1:]) if key[0] == "." else fields.get(key)
            if key == "z" and value is None and fields:
                raise ClassfulError("a state with and without z")
            found.append(named(name) if value is None else value)
        return found[0] if len(found) == 1 else ast.Tuple(found, ast.Load())

    def by_name(self, suffix: str = "", t: str = "t") -> StateOf:
        """The state by the names of its arrays."""
        names: dict[str, ast.expr] = {key: named(name + suffix) for key, name in self.live.items()}
        if self.shape is not None:  # of a built-in method
            swap = {name: name + suffix for name in self.live.values()}
            fields = {k: renamed(copy.deepcopy(v), swap) for k, v in self.shape.items()}
            return StateOf({**fields, "t": expression(t)})
        fields = {key: name for key, name in names.items() if key[0] != "."}
        x = ast.unparse(fields["x"])
        if "w" not in fields:
            fields = {"z": fields["x"], "w": expression(_ONES.format(x)), **fields}
        elif "z" not in fields:
            fields["z"] = expression(f"{x} / {ast.unparse(fields['w'])}[:, :, None]")
        memory = {key[1:]: each for key, each in names.items() if key[0] == "."}
        if "" in memory:
            fields["memory"] = memory[""]
        return StateOf({**fields, "t": expression(t)}, memory)

    def first_state(self, own: bool) -> None:
        """The arrays of the state, by name, and what they are at first."""
        x0, body = named("x0"), list[ast.stmt]()
        fields: dict[str, Any] = {"x": x0}
        memory: dict[str, Any] = {}
        if own:
            algorithm = self.part["algorithm"]
            text, above = self.method(algorithm, "init")
            step = self.method(algorithm, "step")[0]
            every = [n for part in (text, step) for n in ast.walk(part)]
            held = [n.value for n in every if isinstance(n, ast.keyword) and n.arg == "memory"]
            plain = [k for n in held if isinstance(n, ast.Dict) for k in n.keys]
            self.whole = not (all(isinstance(n, ast.Dict) for n in held)
                              and all(isinstance(k, ast.Constant) for k in plain))  # fmt: skip
            if above != "Algorithm":
                scope = dict(zip([a.arg for a in text.args.args],
                                 (algorithm, x0, self.part["problem"]), strict=False))  # fmt: skip
                *body, end = self.body(text, scope, above, "first")
                assert isinstance(end, ast.Return)
                fields, memory = fields | self.begun[0], self.begun[1]
            words = {w.arg for n in ast.walk(step) if isinstance(n, ast.Call) for w in n.keywords
                     if ast.unparse(n.func).rpartition(".")[2] in ("next", "replace")}  # fmt: skip
            keys = ["x", *(key for key in ("w", "z", "v") if key in words)]
        else:
            line = next(s for s in self.loop.body if moves(s))
            made = line.value.elts[1]  # type: ignore[attr-defined]
            keys = ["x"]
            if ast.unparse(made.func) == "State":
                self.shape = dict(zip(("t", "x", "w", "z", "v"), made.args, strict=False))
                keys = [key for key in ("x", "v") if key in self.shape]
                if "w[" in ast.unparse(self.shape["w"]):
                    self.shape["w column"] = named("w")
                    keys.append("w column")
        for key in (*keys, *(f".{key}" for key in memory)):
            name = key.strip(".") or "memory"
            taken = self.globals | {*self.live.values(), *self.numbers}
            name = identifier(name, set() if name == "x" else taken)
            self.live[key] = ast.unparse((self.shape or {}).get(key, named(name)))
        self.taken |= {*self.live.values()}
        self.variables = {*self.live.values(), "t"}
        self.state = self.by_name()
        if self.shape is None:
            first = {"w": expression(_ONES.format("x0")), "z": x0, "v": ast.Constant(None)} | fields
            values = [memory[k[1:]] if k[0] == "." else first[k] for k in self.live]
            self.out += [*body, *assigned([*self.live.values()], values)]

    def metric_start(self) -> None:
        """What a metric keeps of the first state, as assignments."""
        metric = self.part["metric"]
        text, home = self.method(metric, "start")
        scope = dict(zip([a.arg for a in text.args.args], (metric, self.state), strict=True))
        for each in text.body:
            if isinstance(each, ast.Pass | ast.Expr):
                continue
            target = each.targets[0] if isinstance(each, ast.Assign) else each
            if not isinstance(target, ast.Attribute) or ast.unparse(target.value) not in scope:
                raise ClassfulError("a metric that remembers")
            name = self.fresh(target.attr)
            assert isinstance(each, ast.Assign)
            value = Written(self, scope, home).visit(copy.deepcopy(each.value))
            self.out += assigned([name], [value])
            self.given[id(metric), target.attr] = named(name)


def moves(statement: ast.AST) -> bool:
    """Whether it goes from one state to the next."""
    return isinstance(statement, ast.Assign) and stored(statement) == ["before", "state"]
