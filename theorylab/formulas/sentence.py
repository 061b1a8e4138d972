"""Terms as mathematics to read, in the letters of a keyboard: ``(x - 2)^2/2``.

A text is a sum of products. A number that multiplies stays in front of a product and one that
divides behind it; a sum over the coordinates of vectors is |y|^2, y^T A y or ``sum_j`` of entries.
What is long and stands in several places is named once, and told behind the formula.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from theorylab.formulas import products
from theorylab.formulas.products import Factor, Product, Sum, one
from theorylab.formulas.slope import merged, ordered
from theorylab.formulas.term import Shape, Term

_SUMS = ("add", "subtract", "negative", "multiply", "divide", "power", "full", "sum", "index")
_LONG, _LONGEST = 12, 60  # letters of a function, and of a sum, that get a name where they repeat
_CALLED = {"maximum": "max", "minimum": "min"}
_MODEL = ("x", "u", "v")  # the names of the model, or of its two parts
Number = Callable[[float], str]


def read(output: Term, names: Mapping[str, str], number: Number) -> str:
    """The term as mathematics, of inputs by their letters; what repeats is told behind it.

    Args:
        names: a letter for each input; of one that each client has its own, such as ``c_i``.
        number: how a constant is written.
    """
    (output,) = merged(output)
    nodes = ordered(output)
    uses: dict[int, int] = {}
    for node in nodes:
        for a in node.args:
            uses[id(a)] = uses.get(id(a), 0) + 1
    moves = set[int]()
    for node in nodes:
        if node.option in _MODEL or any(id(a) in moves for a in node.args):
            moves.add(id(node))
    taken = {name[0] for name in names.values()}
    many = itertools.chain("yzwqst", (f"y{k}" for k in itertools.count(1)))
    letters = (letter for letter in many if letter not in taken)
    telling, told, defined = _Telling(names, number), dict[int, Sum](), list[str]()
    for node in nodes:
        found = telling.of(node, [told[id(a)] for a in node.args])
        text = telling.line(found)
        longest = _LONGEST if node.op in _SUMS else _LONG
        if uses.get(id(node), 0) > 1 and len(text) > longest and len(node.shape) < 2:
            letter = next(letters)
            defined.append(f"{letter} = {text}")
            found = one(telling.letter(letter, node.shape))
        if id(node) not in moves:
            found = products.fixed(found)
        told[id(node)] = found
    return ", ".join([telling.line(told[id(output)]), *defined])


class _Telling:
    def __init__(self, names: Mapping[str, str], number: Number) -> None:
        self.names, self.number = names, number

    def letter(self, name: str, shape: Shape) -> Factor:
        if not _many(shape):
            return Factor(name, name)
        return Factor(name, f"{name}j" if name.endswith("_i") else f"{name}_j", vector=True)

    def of(self, node: Term, args: list[Sum]) -> Sum:
        """What a term is, from what its arguments are."""
        op, vector = node.op, _many(node.shape)
        if op == "const":
            return products.constant(Fraction(node.option))
        if op == "input":
            return one(self.letter(self.names[node.option], node.shape))
        if op in ("add", "subtract"):
            return products.added(
                (*args[0], *(products.negative(args[1]) if op == "subtract" else args[1]))
            )
        if op == "negative":
            return products.negative(args[0])
        if op in ("multiply", "divide"):
            if sum(size > 1 for size in node.shape) > 1:  # entry by entry, of matrices
                text = f" {'*' if op == 'multiply' else '/'} ".join(map(self._atom, args))
                return one(Factor(text, text, tight=False, vector=True))
            sizes = [_many(a.shape) for a in node.args]
            left, right = (self._product(a, v) for a, v in zip(args, sizes, strict=True))
            return (products.times(left, right if op == "multiply" else products.inverse(right)),)
        if op == "power":
            return self._power(node, args)
        if op == "full" or (op in ("sum", "index") and not _many(node.args[0].shape)):
            return args[0]
        if op == "sum":
            return self._summed(node, args[0])
        if op == "index":
            return one(self._entry(node, args[0]))
        if op == "matmul":
            return one(self._matrix(node, args))
        if op == "logaddexp":
            return one(self._logarithm(args, vector))
        told, entry = (self._called(node, args, entry) for entry in (False, True))
        if op == "concatenate":
            entry = f"{told}_j"
        return one(
            Factor(told, entry, tight=op not in ("less", "less_equal", "bell"), vector=vector)
        )

    def line(self, whole: Sum, entry: bool = False) -> str:
        """The sum as text: of a whole vector, or of its coordinate j."""
        if _is_bare(whole):
            return whole[0].factors[0][0].text(entry, bare=True)
        text = ""
        for product in whole:
            sign = "-" if product.number < 0 else "+"
            alone = self._text(replace(product, number=abs(product.number)), entry)
            text += f" {sign} {alone}" if text else ("-" if sign == "-" else "") + alone
        return text or "0"

    def _text(self, product: Product, entry: bool) -> str:
        above = [(f, k) for f, k in product.factors if k > 0]
        below = [(f, -k) for f, k in product.factors if k < 0]
        if not product.factors:
            return self.number(float(product.number / product.divisor))
        parts = [self.number(float(product.number))] if product.number != 1 or not above else []
        parts += [
            products.powered(f, k, entry, bare=f.chain or (f.total and f is above[-1][0]))
            for f, k in above
        ]
        ends = [str(product.divisor)] if product.divisor != 1 else []
        return "/".join(
            [" ".join(parts), *ends, *(products.powered(f, k, entry) for f, k in below)]
        )

    def _product(self, whole: Sum, vector: bool) -> Product:
        """A sum as one product, itself a factor where it has several summands."""
        if len(whole) == 1:
            return whole[0]
        made = Factor(self.line(whole), self.line(whole, True), tight=False, vector=vector)
        return Product(factors=((made, 1),)) if whole else Product(Fraction(0))

    def _power(self, node: Term, args: list[Sum]) -> Sum:
        base, exponent = args
        vector = _many(node.shape)
        product = self._product(base, vector)
        power = node.args[1].option if node.args[1].op == "const" else None
        if power is None or power.denominator != 1 or not power:
            low, high = (
                f"{self._atom(base, entry)}^{self._atom(exponent, entry)}"
                for entry in (False, True)
            )
            return one(Factor(low, high, tight=False, vector=vector))
        if len(product.factors) != 1 or product.number != 1 or product.divisor != 1:
            texts = self.line(base), self.line(base, True)
            product = Product(factors=((Factor(*texts, tight=False, vector=vector), 1),))
        ((factor, k),) = product.factors
        return (Product(factors=((factor, k * int(power)),)),)

    def _atom(self, whole: Sum, entry: bool = False) -> str:
        """With brackets where it is not one thing."""
        text = self.line(whole, entry)
        if _is_bare(whole):
            return whole[0].factors[0][0].text(entry)
        number = len(whole) == 1 and not whole[0].factors and whole[0].divisor == 1
        return text if not whole or (number and whole[0].number >= 0) else f"({text})"

    def _summed(self, node: Term, whole: Sum) -> Sum:
        shape = node.args[0].shape
        if sum(size > 1 for size in shape) > 1:
            text, vector = f"sum({self.line(whole)})", _many(node.shape)
            return one(Factor(text, f"{text}_j" if vector else text, vector=vector))
        made: list[Product] = []
        for product in whole:
            inside = [(f, k) for f, k in product.factors if f.vector]
            outside = tuple((f, k) for f, k in product.factors if not f.vector)
            if not inside:
                made.append(replace(product, number=product.number * math.prod(shape)))
                continue
            total = self._total(inside)
            made.append(replace(product, factors=(*outside, *total)))
        return tuple(made)

    def _total(self, inside: list[tuple[Factor, int]]) -> tuple[tuple[Factor, int], ...]:
        """A sum over coordinates of a product of vectors."""
        powers = [k for _, k in inside]
        if powers == [2]:
            text = f"|{inside[0][0].plain}|"
            return ((Factor(text, text), 2),)
        if powers == [1, 1] and any(f.tight or f.chain or "(" not in f.plain for f, _ in inside):
            left, right = sorted((f for f, _ in inside), key=lambda f: f.chain)
            text = f"{left.text(False)}^T {right.text(False, right.chain)}"
            return ((Factor(text, text, tight=False, chain=True), 1),)
        text = f"sum_j {self._text(Product(factors=tuple(inside)), True)}"
        return ((Factor(text, text, tight=False, total=True), 1),)

    def _entry(self, node: Term, whole: Sum) -> Factor:
        """Entries of a vector or a matrix."""
        keys = [part for part in node.option if part is not None]
        text, entry = self._atom(whole), self._atom(whole, True)
        vector = _many(node.shape)
        cut = [k for k in keys if k != slice(None)]
        if cut:
            told = "".join(str(k + 1) if isinstance(k, int) else f"({_range(k)})" for k in cut)
            text = f"{text}{told}" if text.endswith("_i") else f"{text}_{told}"
        first = cut[0] if len(keys) == len(cut) == 1 else None
        if cut and not (isinstance(first, slice) and (first.start, first.step) == (0, 1)):
            entry = f"{text}j" if vector else text
        return Factor(text, entry, vector=vector)

    def _matrix(self, node: Term, args: list[Sum]) -> Factor:
        ranks = [len(a.shape) for a in node.args]
        texts = [
            self.line(a) if _is_bare(a) and a[0].factors[0][0].chain else self._atom(a)
            for a in args
        ]
        if ranks == [1, 2]:  # y @ A is A^T y
            texts = [f"{self._atom(args[1])}^T", texts[0]]
        text = " ".join(texts)
        vector = _many(node.shape)
        return Factor(text, f"({text})_j" if vector else text, False, True, vector=vector)

    def _logarithm(self, args: list[Sum], vector: bool) -> Factor:
        """log(e^a + e^b)."""
        a, b = args
        if self.line(products.negative(b)) == self.line(a) or self.line(
            products.opposite(b)
        ) == self.line(a):
            texts = [f"{products.TWICE}{self.line(a, entry)}))" for entry in (False, True)]
        else:
            texts = [
                f"log({_exponential(self.line(a, entry))} + {_exponential(self.line(b, entry))})"
                for entry in (False, True)
            ]
        return Factor(texts[0], texts[1], vector=vector)

    def _called(self, node: Term, args: list[Sum], entry: bool) -> str:
        op, texts = node.op, [self.line(a, entry and node.op != "concatenate") for a in args]
        if op == "minimum" and node.args[0].op == "maximum" and texts[0].startswith("max("):
            return f"clip({texts[0][4:-1]}, {texts[1]})"
        known = {
            "less": " < ".join(texts), "less_equal": " <= ".join(texts),
            "bell": f"1/cosh({texts[0]})^2", "absolute": f"|{texts[0]}|",
            "log1p": f"log(1 + {texts[0]})", "transpose": f"{self._atom(args[0])}^T",
            "concatenate": f"({', '.join(texts)})",
        }  # fmt: skip
        return known.get(op) or f"{_CALLED.get(op, op)}({', '.join(texts)})"


def _is_bare(whole: Sum) -> bool:
    """Whether it is one factor, and nothing else."""
    if len(whole) != 1 or whole[0].number != 1 or whole[0].divisor != 1:
        return False
    return [power for _, power in whole[0].factors] == [1]


def _many(shape: Shape) -> bool:
    return math.prod(shape) > 1


def _exponential(text: str) -> str:
    return "1" if text == "0" else f"exp({text})"


def _range(part: slice) -> str:
    return f"{part.start + 1}..{part.stop}" + (f" by {part.step}" if part.step != 1 else "")
