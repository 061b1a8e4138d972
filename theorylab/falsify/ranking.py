"""Which move is made next, by what the moves gained so far and by the time that they took."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

Move = tuple[str, str]  # its label, and the words of the instance that is moved
_MOST_GAIN = 1.6  # the logarithm of the most that one move is remembered for
_PAUSE = 0.1  # seconds until what is at its end is asked again
_UNTRIED = 0.1  # of a move that was never made: before those that brought nothing
_REMEMBERED = 0.7  # of what a move brought, each time it is made again: late gains are small


@dataclass
class _Record:
    gain: float = 0.0
    count: float = 0.0
    seconds: float = 0.0

    def add(self, gain: float, seconds: float) -> None:
        self.gain = _REMEMBERED * self.gain + gain
        self.count = _REMEMBERED * self.count + 1
        self.seconds = _REMEMBERED * self.seconds + seconds


class Ranking:
    """Three orders of the moves, which share the time.

    The first order is by the gain of the score a move, so that a move that was never made has its
    turn soon, however dear it is. The second is by the gain a second, where a new move counts as
    its kind does (the word before the colon of its label). The third takes the move that was made
    least often of instances of the kind, as a move that gained nothing may gain much later.

    >>> ranking = Ranking()
    >>> ranking.put(("start: far", ""), gain=0.0, seconds=0.01)
    >>> ranking.put(("start: at one", ""), gain=2.0, seconds=0.01)
    >>> ranking.next(["start: far", "start: at one"], "")
    'start: at one'
    """

    # shares of the time
    _SHARES = (0.25, 0.5, 0.25)

    def __init__(self) -> None:
        self._moves: dict[Move, _Record] = {}
        self._kinds: dict[str, _Record] = {}
        self._all = _Record()
        self._spent = [0.0, 0.0, 0.0]
        self._made: dict[tuple[str, ...], dict[str, int]] = {}
        self._order = 0

    def next(self, labels: Iterable[str], words: str, kind: tuple[str, ...] = ()) -> str:
        """The label whose turn it is, among those that are left of an instance of that kind."""
        self._order = min(range(3), key=lambda k: self._spent[k] / self._SHARES[k])
        made = self._made.setdefault(kind, {})
        if self._order == 2:
            label = min(labels, key=lambda each: (made.get(each, 0), -self._a_move((each, words))))
        else:
            value = self._a_second if self._order else self._a_move
            label = max(labels, key=lambda each: value((each, words)))
        made[label] = made.get(label, 0) + 1
        return label

    def put(self, move: Move, gain: float, seconds: float) -> None:
        """Remember what a move brought."""
        for record in (
            self._moves.setdefault(move, _Record()),
            self._kinds.setdefault(_kind(move), _Record()),
            self._all,
        ):
            record.add(gain, seconds)
        self._spent[self._order] += seconds

    def _a_move(self, move: Move) -> float:
        record = self._moves.get(move, _Record())
        return (record.gain + _UNTRIED) / (record.count + 1)

    def _a_second(self, move: Move) -> float:
        record, kind = self._moves.get(move, _Record()), self._kinds.get(_kind(move), _Record())
        usual = self._all.seconds / self._all.count if self._all.count else 1.0
        prior = (kind.gain + _UNTRIED) / (kind.seconds + usual) if usual > 0 else 0.0
        return (record.gain + prior * usual) / (record.seconds + usual) if usual > 0 else 0.0


def gained(before: float, reached: float, top: float) -> float:
    """The gain of a move from one score to another, as a share of the best ratio so far, so that a
    climb far below the top counts little.

    >>> gained(-3.0, -2.0, top=0.0) < 0.1 < gained(-0.5, -0.2, top=0.0)
    True
    """
    higher = math.exp(min(reached - top, _MOST_GAIN)) - math.exp(min(before - top, 0.0))
    return max(higher, 0.0)


def _kind(move: Move) -> str:
    return move[0].partition(":")[0]


def in_turns(
    streams: Mapping[Callable[[], bool], float],
    going: Callable[[], bool],
    clock: Callable[[], float],
) -> None:
    """Call each stream as often as it takes to have its share of the time, until all have ended.

    A stream that has ended is asked again after a while, because another stream may have found an
    instance that it can go on from.

    Args:
        streams: what does a little, and says whether there was something to do; and its share.
    """
    spent, ended = dict.fromkeys(streams, 0.0), set[Callable[[], bool]]()
    while going() and len(ended) < len(streams):
        left = [stream for stream in streams if stream not in ended]
        stream = min(left, key=lambda each: spent[each] / streams[each])
        began = clock()
        if stream():
            ended.clear()
        else:
            ended.add(stream)
            spent[stream] += _PAUSE * streams[stream]
        spent[stream] += clock() - began
