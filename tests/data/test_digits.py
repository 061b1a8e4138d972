import sys

import numpy as np
import pytest

from theorylab.data import digits
from theorylab.extras import MissingExtraError


def test_the_digits_are_all_there_scaled_and_with_a_bias():
    features, labels = digits()
    assert features.shape == (1797, 65)
    # class sizes of the UCI test set, as its documentation lists them
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert np.all(features[:, -1] == 1)
    assert features.min() == 0
    assert features.max() == 1
    assert np.all(features * 16 == np.round(features * 16))  # pixels are 0..16, exact in binary


def test_the_shared_arrays_cannot_be_written_to():
    features, labels = digits()
    for part in (features, labels):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 0


def test_without_scikit_learn_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r"^digits: .* pip install 'theorylab\[data\]'$"):
        digits.__wrapped__()


def test_importing_problems_does_not_import_scikit_learn():
    import subprocess

    code = "import sys, theorylab.problems; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0


def test_the_digits_are_read_without_importing_scikit_learn_and_are_its_own():
    import subprocess

    code = (
        "import sys, numpy as np, theorylab.data as d; ours = d.digits(); "
        "assert 'sklearn' not in sys.modules; "
        "from sklearn.datasets import load_digits; raw = load_digits(); "
        "assert np.array_equal(ours.features[:, :-1] * 16, raw.data); "
        "assert np.array_equal(ours.labels, raw.target)"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


def test_where_the_file_is_elsewhere_scikit_learn_loads_the_same(monkeypatch):
    own = digits()
    monkeypatch.setattr("pathlib.Path.is_file", lambda self: False)
    again = digits.__wrapped__()
    assert np.array_equal(own.features, again.features)
    assert np.array_equal(own.labels, again.labels)
    assert (own.features.dtype, own.labels.dtype) == (again.features.dtype, again.labels.dtype)
