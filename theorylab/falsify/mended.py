"""What is looked at in place of an instance that is refused: the nearest one that may not be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from theorylab.falsify.cut import cut
from theorylab.falsify.moves import Instance, copied
from theorylab.falsify.starts import with_rounds

_UNASKED = "law or at came; need neither"  # of what is no metric of rows
_UNLISTED = "need law 'enumerated'"  # of what only a list of all outcomes decides


def mended(instance: Mapping[str, Any], refusal: str) -> Iterator[Instance]:
    """Without a law where none is asked for; with one, of one round, where it is; and fewer rounds
    where the numbers left float64.

    >>> next(mended({"rounds": 9}, "metric m: every right side is random; need law 'enumerated'"))
    {'rounds': 1, 'law': 'enumerated'}
    """
    made = copied(instance)
    if _UNASKED in refusal and "law" in made:
        del made["law"]
        yield made
    elif _UNLISTED in refusal and made.get("law") != "enumerated" and "rounds" in made:
        yield {**with_rounds(made, 1), "law": "enumerated"}
    else:
        yield from cut(instance, refusal)
