"""What rounds draw, as one array of outcomes, rounds and steps: for a script without classes."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from theorylab.scripts._syntax import ClassfulError, expression

_NOISY = re.compile(r"lambda x, xi: \w+\.gradient\(x\) \+ xi(?: \* np\.cos\(x / (.+)\))?")


class Draws:
    """The lines that set a network's draws up, read; ``watch`` notes the order in which they are
    asked for, which has to be that of every round."""

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
