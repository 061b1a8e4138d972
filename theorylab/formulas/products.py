"""A sum of products as it is read: ``3 (v - 1)^2/2 + u v``, of factors that are texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True)
class Factor:
    """plain: as a whole. entry: its coordinate j. tight: needs no brackets. chain: a matrix times
    something, which needs none in ``y^T A x``. total: it begins with ``sum_j``. vector: it has
    coordinates. data: it is without the model."""

    plain: str
    entry: str
    tight: bool = True
    chain: bool = False
    total: bool = False
    vector: bool = False
    data: bool = False

    def text(self, entry: bool, bare: bool = False) -> str:
        """With brackets where it is not one thing."""
        text = self.entry if entry else self.plain
        return text if self.tight or bare else f"({text})"


@dataclass(frozen=True)
class Product:
    """number / divisor times the factors, each to a power that is a whole number."""

    number: Fraction = Fraction(1)
    divisor: int = 1
    factors: tuple[tuple[Factor, int], ...] = ()


Sum = tuple[Product, ...]
TWICE = "log(2 cosh("


def one(factor: Factor) -> Sum:
    """A factor alone."""
    return (Product(factors=((factor, 1),)),)


def constant(value: Fraction) -> Sum:
    """A number; 0 is the sum of nothing."""
    return (Product(value),) if value else ()


def negative(whole: Sum) -> Sum:
    """With the other sign."""
    return tuple(replace(product, number=-product.number) for product in whole)


def opposite(whole: Sum) -> Sum:
    """The negative, told from its end: of c - x it is x - c."""
    return negative(whole)[::-1]


def fixed(whole: Sum) -> Sum:
    """Said to be without the model."""
    return tuple(
        replace(product, factors=tuple((replace(f, data=True), k) for f, k in product.factors))
        for product in whole
    )


def added(products: Iterable[Product]) -> Sum:
    """Constants are one number; log(2 cosh y) - log(2) is log cosh y."""
    made: list[Product] = []
    constant, place = Fraction(0), None
    for product in products:
        if product.factors:
            made.append(product)
        else:
            constant += product.number / product.divisor
            place = len(made) if place is None else place
    for k, product in enumerate(made):
        (factor, power), *rest = product.factors
        two = Factor("log(2)", "log(2)", vector=factor.vector, data=True)
        less = replace(product, number=-product.number, factors=((two, power),))
        if not rest and factor.plain.startswith(TWICE) and less in made:
            texts = [f"log cosh({text[len(TWICE) : -1]}" for text in (factor.plain, factor.entry)]
            shorter = replace(factor, plain=texts[0], entry=texts[1])
            made[k] = replace(product, factors=((shorter, power),))
            made.remove(less)
            break
    if constant and place is not None:
        made.insert(min(place, len(made)), Product(constant))
    return tuple(made)


def times(one: Product, two: Product) -> Product:
    """Their product: what is without the model stands in front, like factors are a power."""
    factors = dict(one.factors)
    for factor, power in two.factors:
        factors[factor] = factors.get(factor, 0) + power
    whole = tuple(sorted(((f, k) for f, k in factors.items() if k), key=lambda f: not f[0].data))
    return Product(one.number * two.number, one.divisor * two.divisor, whole)


def inverse(product: Product) -> Product:
    """1 over it: a whole number divides, any other is turned over."""
    factors = tuple((f, -k) for f, k in product.factors)
    if not product.number:
        return Product(factors=((Factor("0", "0"), -1),))
    if product.number.denominator == 1 and product.number > 0:
        return Product(Fraction(product.divisor), int(product.number), factors)
    return Product(product.divisor / product.number, 1, factors)


def powered(factor: Factor, power: int, entry: bool, bare: bool = False) -> str:
    """The text of a power."""
    return factor.text(entry, bare) if power == 1 else f"{factor.text(entry)}^{power}"
