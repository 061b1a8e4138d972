"""What launching costs a round on a GPU: measured of rounds whose bits are the same."""

from dataclasses import replace

import pytest

from theorylab.bench import _gpu_launches as module
from theorylab.bench._gpu_board import DryBoard
from theorylab.bench._gpu_time import Leader


def test_a_row_has_the_time_of_a_round_each_way():
    board = DryBoard()
    (row,) = module.launches(board, Leader(board))
    assert row["sizes"] == {"n": 4, "d": 6, "K": 5, "rounds": 4}
    assert all(row[key] > 0 for key in ("step_ms", "tape_ms", "device_ms"))


def test_rounds_with_other_bits_are_no_measurement(monkeypatch):
    real = module.fused

    def wrong(*arguments, **options):
        play = real(*arguments, **options)

        def other(state, ends):
            before, made = play(state, ends)
            return before, replace(made, x=made.x * 1.5)

        return other

    board = DryBoard()
    monkeypatch.setattr(module, "fused", wrong)
    with pytest.raises(RuntimeError, match="n=4 d=6: rounds launched together have other bits"):
        module.launches(board, Leader(board))
    monkeypatch.setattr(module, "fused", lambda *_, **__: None)
    with pytest.raises(RuntimeError, match="n=4 d=6 is played round by round"):
        module.launches(board, Leader(board))
