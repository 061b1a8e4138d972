"""Threads and streams that use one problem at the same time do not meet in its memory."""

import threading

import numpy as np
import torch

from theorylab.kernels._paths import emulated
from theorylab.problems import _replays
from theorylab.problems._replays import Replays


def again(function, inputs, room):
    """As a recording: it reads its inputs where they lie, and its result lies where it lay."""
    result = function(*inputs)
    return lambda: result.copy_(function(*inputs)), result


def test_a_thread_does_not_write_into_what_another_one_plays():
    others = []

    def record(function, inputs, room):
        play, result = again(function, inputs, room)

        def interrupted():
            if not others:  # between this one's inputs and its numbers
                others.append(threading.Thread(target=call, args=(5.0,)))
                others[0].start()
                others[0].join(0.05)
            play()

        return interrupted, result

    replays, made = Replays("here", record), {}

    def call(number):
        made[number] = replays("twice", lambda x: 2 * x, torch.full((3,), number))

    for number in (1.0, 2.0, 3.0):
        call(number)
    others[0].join(10)
    assert {number: each.tolist() for number, each in made.items()} == {
        number: [2 * number] * 3 for number in (1.0, 2.0, 3.0, 5.0)
    }


def test_recordings_of_two_streams_share_no_memory(monkeypatch):
    stream, rooms = [7], []
    monkeypatch.setattr(_replays, "stream_of", lambda like: stream[0])
    monkeypatch.setattr(_replays, "_room", lambda like: object())

    def record(function, inputs, room):
        rooms.append(room)
        return again(function, inputs, room)

    replays = Replays("here", record)
    for stream[0], key in ((7, "a"), (7, "b"), (8, "a"), (8, "b")):
        for _ in range(2):
            replays(key, lambda x: 2 * x, torch.ones(3))
    assert rooms[0] is rooms[1]
    assert rooms[2] is rooms[3]
    assert rooms[0] is not rooms[2]


def test_rows_that_a_thread_or_a_stream_draws_stay_until_it_draws_again(tiny, monkeypatch):
    p, ids, drawn = tiny("mlp"), np.array([0, 1]), []

    def draw(round):
        drawn.append(p._rows.of_steps(p._like, 7, ids, round, 2))

    with emulated():
        draw(0)
        want = drawn[0].clone()
        thread = threading.Thread(target=draw, args=(1,))
        thread.start()
        thread.join()
        assert torch.equal(drawn[0], want)
        draw(2)
        want = drawn[2].clone()
        monkeypatch.setattr(_replays, "stream_of", lambda like: 8)
        draw(3)
        assert torch.equal(drawn[2], want)
        assert not torch.equal(drawn[3], want)
