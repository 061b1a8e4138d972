"""What a refusal names is mended, and nothing else."""

import pytest

from theorylab.falsify.mended import mended
from theorylab.falsify.moves import worded


@pytest.mark.parametrize(
    ("instance", "refusal", "want"),
    [
        ({"law": "enumerated", "x0": 1}, "law or at came; need neither, for", [{"x0": 1}]),
        ({"x0": 1}, "law or at came; need neither, for", []),
        (
            {"rounds": 11, "at": [10]},
            "a norm of a mean is asked for; need law 'enumerated', or no noise",
            [{"rounds": 2, "at": [1], "law": "enumerated"}],
        ),
        ({"rounds": 1, "law": "enumerated"}, "need law 'enumerated'", []),
        ({"rounds": 4}, "trace: loss overflowed", [{"rounds": 2}, {"rounds": 1}]),
        ({"rounds": 4}, "algorithm: eta is -1; need > 0", []),
    ],
)
def test_a_refusal_says_what_is_looked_at_instead(instance, refusal, want):
    before = repr(instance)
    assert list(mended(instance, refusal)) == want
    assert repr(instance) == before


def test_a_word_moves_over_the_words_known_at_its_place():
    one = {"algorithm": {"batch": "per-step", "eta": 0.1}, "law": "moments"}
    known = {("algorithm", "batch"): ["per-step", "per-round", "fresh"], ("algorithm",): [{}]}
    found = dict(worded(one, known))
    assert list(found) == ["batch: per-round", "batch: fresh"]
    assert found["batch: fresh"] == {**one, "algorithm": {"batch": "fresh", "eta": 0.1}}
