import pytest

from theorylab.campaigns.figure import drawing
from theorylab.campaigns.reading import Rows
from theorylab.report.style import figure_of


def cell(clients, rounds, ratio, verdict):
    return {"clients": clients, "rounds": rounds, "seed": 0, "status": "done", "ratio": ratio,
            "verdict": verdict, "loss": ratio}  # fmt: skip


ROWS = Rows(
    [
        cell(4, 10, 0.2, "HOLDS"),
        cell(4, 10, 1.3, "VIOLATED"),
        cell(4, 10, 0.3, "HOLDS"),
        cell(4, 100, 0.5, "HOLDS"),
        cell(8, 10, 0.02, "HOLDS"),
        cell(8, 100, 2.0, "VIOLATED"),
    ],
    "digest",
    6,
    {"axes": {"clients": {"values": [4, 8]}, "rounds": {"values": [10, 100]}}},
)


def drawn(measure):
    draw, cells, options = drawing(ROWS, x="clients", y="rounds", measure=measure)
    figure = figure_of(draw, **options)
    ((axes, told),) = cells.items()
    return figure, axes, told


def test_a_cell_of_ratios_shows_the_largest_and_how_many_rows_are_violated():
    _, axes, told = drawn("ratio")
    assert [[text.split("\n")[1] for text in row] for row in told] == [
        ["largest ratio 1.3, 1 of 3 violated", "largest ratio 0.02, 0 of 1 violated"],
        ["largest ratio 0.5, 0 of 1 violated", "largest ratio 2, 1 of 1 violated"],
    ]
    assert told[1][0].startswith("clients 4, rounds 100")
    assert {text.get_text() for text in axes.texts} == {
        "1.3\n1 of 3 violated", "0.02\n0 of 1 violated", "0.5\n0 of 1 violated",
        "2\n1 of 1 violated",
    }  # fmt: skip


def test_the_colours_of_ratios_part_at_1_and_the_bar_is_marked_there():
    figure, axes, _ = drawn("ratio")
    (image,) = axes.images
    shades = image.norm(image.get_array())
    assert ((shades > 0.5) == [[True, False], [False, True]]).all()  # above 1, row by row
    bar = next(each for each in figure.axes if each is not axes)
    assert float(image.norm(bar.lines[-1].get_ydata()[0])) == 0.5
    assert [tick.get_text() for tick in bar.get_yticklabels() if tick.get_text() == "1"] == ["1"]


def test_another_measure_has_means():
    _, axes, told = drawn("loss")
    assert "loss 0.6, 1 of 3 violated" in told[0][0]
    assert 10 ** axes.images[0].get_array()[0, 0] == pytest.approx(0.6)
