import io
import itertools
import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib.image
import numpy as np
import pytest
from matplotlib.text import Text

from theorylab.report import envelope
from theorylab.report.envelope import Envelope

LAGS = np.arange(30.0)


def example(high=4.0):
    return (
        "ring, 8 clients", "2-norm", LAGS, -0.2 * LAGS,
        [Envelope("tight", 0.1 - 0.19 * LAGS, "C/(1−q) = 3"),
         Envelope("rate", -0.25 * LAGS, ""),
         Envelope("printed", high - 0.001 * LAGS, "C/(1−q) = 10^9")],
    )  # fmt: skip


def drawn(*arguments):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    picture = Figure(figsize=(8.6, 4.5))
    FigureCanvasAgg(picture)
    envelope._draw(picture, *arguments)
    picture.canvas.draw()
    return picture


def texts(picture):
    return [t.get_text() for t in picture.axes[0].texts]


def test_the_same_arrays_give_the_same_bytes_in_another_process():
    program = (
        "import sys, numpy as np\n"
        "from theorylab.report.envelope import Envelope, png, svg\n"
        "lags = np.arange(9.0)\n"
        "given = 'a', '2-norm', lags, -lags, [Envelope('tight', 1 - lags, 'note')]\n"
        "sys.stdout.buffer.write(svg(*given).encode() + png(*given))\n"
    )
    runs = [
        subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, check=True)
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[0].stdout) > 1000


def test_no_date_and_no_program_is_written_into_a_picture():
    text = envelope.svg(*example())
    ET.fromstring(text)
    assert "<metadata" not in text
    assert not re.search(r"20\d\d-\d\d-\d\d", text)
    assert b"Software" not in envelope.png(*example())
    assert matplotlib.image.imread(io.BytesIO(envelope.png(*example()))).shape[:2] == (720, 1376)


def test_every_curve_is_drawn_at_its_heights_and_told_apart():
    lines = drawn(*example()).axes[0].lines
    heights = [line.get_ydata() for line in lines]
    given = [e.log10 for e in example()[4]] + [example()[3]]
    for found, wanted in zip(heights, given, strict=True):
        assert np.array_equal(found, wanted)
    looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in lines}
    assert len({colour for colour, _ in looks}) == len({dash for _, dash in looks}) == 4


def test_the_axes_are_labelled_in_powers_of_ten():
    axes = drawn(*example()).axes[0]
    assert axes.get_xlabel() == "lag t − s, rounds"
    assert axes.get_ylabel() == "largest 2-norm of M(t, s)"
    ticks = [t.get_text() for t in axes.get_yticklabels()]
    assert "$10^{-4}$" in ticks
    assert len(set(ticks)) == len(ticks)


def test_a_printed_envelope_that_would_flatten_the_rest_is_named_instead():
    near, far = drawn(*example(high=4.0)), drawn(*example(high=4000.0))
    assert len(near.axes[0].lines) == 4
    assert len(far.axes[0].lines) == 3
    assert "printed\nC/(1−q) = 10^9\nabove the chart" in texts(far)
    assert "printed\nC/(1−q) = 10^9" in texts(near)
    assert near.axes[0].get_ylim()[1] > 4
    assert far.axes[0].get_ylim()[1] < 2


def test_what_is_not_defined_is_named():
    title, norm, lags, measured, rows = example()
    assert "SGP lemma: none" in texts(
        drawn(title, norm, lags, measured, [*rows, Envelope("SGP lemma", None, "")])
    )


def test_a_curve_that_becomes_zero_leaves_through_the_floor():
    lags, log10 = np.arange(5.0), np.array([0, -0.5, -math.inf, -math.inf, -math.inf])
    picture = drawn("complete", "2-norm", lags, log10, [Envelope("tight", log10, "")])
    floor = picture.axes[0].get_ylim()[0]
    for line in picture.axes[0].lines:
        assert np.array_equal(line.get_ydata()[:2], [0, -0.5])
        assert line.get_ydata()[2] < floor
        assert np.isnan(line.get_ydata()[3:]).all()
    assert "measured\n0 from lag 2 on" in texts(picture)
    for only in (np.array([0.0]), np.array([-math.inf])):  # one lag, or nothing at all
        assert envelope.png("one", "2-norm", np.array([0.0]), only, [])


def test_no_label_covers_another():
    same = [Envelope(name, -0.2 * LAGS, "a note") for name in "abc"]
    same.append(Envelope("d", 9000 + LAGS, "a note"))
    picture = drawn("t", "2-norm", LAGS, -0.2 * LAGS, same)
    boxes = sorted((Text.get_window_extent(t) for t in picture.axes[0].texts), key=lambda b: b.y0)
    assert len(boxes) == 5
    for lower, upper in itertools.pairwise(boxes):
        assert lower.y1 <= upper.y0 + 1
    assert boxes[0].y0 >= 0
    assert boxes[-1].y1 <= picture.bbox.y1
    assert all(box.x1 <= picture.bbox.x1 for box in boxes)


@pytest.mark.parametrize(
    ("log10", "rows", "message"),
    [
        (LAGS[:3], [], r"measured has shape \(3,\); need that of the lags, \(30,\)"),
        (LAGS, [Envelope("e", LAGS[:0], "")], r"e has shape \(0,\); need that of the lags"),
        (np.where(LAGS == 2, math.nan, LAGS), [], "measured has a nan; need log10"),
        (LAGS, [Envelope("e", LAGS, "")] * 5, "5 envelopes; need at most 4"),
    ],
)
def test_bad_arrays_are_named(log10, rows, message):
    with pytest.raises(ValueError, match=message):
        envelope.svg("title", "2-norm", LAGS, log10, rows)
