"""The state of a script's rounds as named arrays, and what the network does to them.

What rounds draw becomes one array of outcomes, rounds and steps.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Sequence
from typing import Any

from theorylab.scripts._functions import Functions, Written
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

_SHARES = {0: "0 * x0", 1: "x0"}  # of ``first_memory``
_ORDER = ("x", "z", "w", "v", "memory")  # of the arguments of ``net.next``
_ONES = "np.ones({}.shape[:2])"
_NOISY = re.compile(r"lambda x, xi: \w+\.gradient\(x\) \+ xi(?: \* np\.cos\(x / (.+)\))?")


class Draws:
    """The draws of a network, read from the lines that set them up.

    ``watch`` notes the order in which a round asks for draws. It has to be the same in all rounds.
    """

    def __init__(self, lines: Sequence[ast.stmt], net: Any) -> None:
        self.net, self.lines = net, list[str]()
        self.asked: list[tuple[int, str, int, int, tuple[int, ...]]] = []
        self.told = dict[str, str]()
        for each in lines:
            if isinstance(each, ast.Assign):
                targets, values = each.targets[0], each.value
                pairs = [(targets, values)]
                if isinstance(targets, ast.Tuple) and isinstance(values, ast.Tuple):
                    pairs = list(zip(targets.elts, values.elts, strict=True))
                self.told |= {ast.unparse(a).partition(".")[2]: ast.unparse(b) for a, b in pairs}
        if "seed" in self.told:
            raise ClassfulError("draws of a seed")

    def watch(self, net: Any) -> None:
        """Note what ``net`` is asked for as its rounds are played."""
        for name in ("noise", "coins"):
            if hasattr(net, name):
                setattr(net, name, self._noting(net, name, getattr(net, name)))

    def _noting(self, net: Any, kind: str, ask: Any) -> Any:
        def noted(*given: Any, **more: Any) -> Any:
            first = getattr(net, "used", 0)
            found = ask(*given, **more)
            if found is not None:
                self.asked.append((net.t, kind, first, net.used, found.shape[1:]))
            return found

        return noted

    def settled(self, rounds: int) -> None:
        """Find the order of a round; ClassfulError where rounds differ."""
        each = [[a for a in self.asked if a[0] == t] for t in range(rounds)]
        self.rounds, self.width = rounds, sum(a[3] - a[2] for a in each[0]) if each else 0
        orders = [[(k, a - t * self.width, b - t * self.width, s) for _, k, a, b, s in row]
                  for t, row in enumerate(each)]  # fmt: skip
        if any(order != orders[0] for order in orders):
            raise ClassfulError("rounds that draw unlike each other")
        self.order = orders[0] if orders else []
        self.coins = [a for a in self.order if a[0] == "coins"]
        self.noise = [a for a in self.order if a[0] == "noise"]
        self.tossed = 0

    def coin(self) -> ast.expr:
        """The next coin of a round."""
        if self.tossed >= len(self.coins):
            raise ClassfulError("coins in a loop")
        _, a, b, shape = self.coins[self.tossed]
        every = expression(self.told["coin_values"])
        assert isinstance(every, ast.List)
        values = every.elts[self.tossed]
        name = f"coins{self.tossed or ''}"
        self.tossed += 1
        self.lines.append(self._array(name, ast.unparse(values), a, b, 1, shape))
        return expression(f"{name}[:, t]")

    def noisy(self, slope: ast.expr, x: ast.expr, k: ast.expr) -> ast.expr:
        """A gradient with its noise."""
        if not self.noise:
            return slope
        found = _NOISY.fullmatch(self.told.get("stochastic_gradient", ""))
        count, first, last = len(self.noise), self.noise[0][1], self.noise[-1][2]
        if found is None or last - first != sum(b - a for _, a, b, _ in self.noise):
            raise ClassfulError("noise")
        shape = self.noise[0][3]
        if "noise_values" in self.told:
            line = self._array("xi", self.told["noise_values"], first, last, count, shape)
        else:
            full = ", ".join(map(str, (self.rounds, *([count] if count > 1 else []), *shape)))
            points = "np.concatenate([np.eye(N), -np.eye(N)])"
            line = f"xi = {self.told['scale']} * {points}.reshape(2 * N, {full})"
        if line not in self.lines:
            self.lines.append(line)
        drawn = "xi[:, t]" if count == 1 else f"xi[:, t, {ast.unparse(k)}]"
        if found[1]:
            drawn = f"{drawn} * np.cos(({ast.unparse(x)}) / {found[1]})"
        return expression(f"{ast.unparse(slope)} + {drawn}")

    def _array(
        self, name: str, values: str, a: int, b: int, count: int, shape: tuple[int, ...]
    ) -> str:
        faces = "faces"
        if (a, b) != (0, self.width):
            faces = f"faces.reshape(len(faces), {self.rounds}, {self.width})[:, :, {a}:{b}]"
        full = ", ".join(map(str, (self.rounds, *([count] if count > 1 else []), *shape)))
        return f"{name} = {values}[{faces}].reshape(len(faces), {full})"


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
            written = (step,) if above == "Algorithm" else (text, step)
            every = [n for part in written for n in ast.walk(part)]
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
            else:
                shares = type(algorithm).first_memory.items()
                memory = {key: expression(_SHARES.get(k, f"{k} * x0")) for key, k in shares}
                if memory and self.whole:
                    names = [ast.Constant(key) for key in memory]
                    memory = {"": ast.Dict(names, [*memory.values()])}  # type: ignore[arg-type]
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
