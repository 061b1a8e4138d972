"""Exact root mean square errors, against the listed law of a few terms."""

import numpy as np
import pytest

from theorylab.experiments import experiment


def test_the_ratio_is_that_of_the_listed_laws():
    table = [[1, 0.4], [0.7, 1]]
    shared = {"clients": 2, "network": {"name": "sto-d", "probabilities": table}}
    sgp = {"step": 0.3, "variant": "4a"}
    made = experiment(
        "hgp-rmse", **shared, sgp=sgp, problem={"dim": 1, "hyper": 1}, others=[[1, 0]]
    )
    listed = []
    for alpha, beta in ((0.9, 0.1), (1.0, 0.0)):
        law = experiment(
            "hgp-error",
            **{**shared, "maps": "sgp", "sgp": sgp, "dim": 1, "hyper": 1, "terms": [4]},
            alpha=alpha,
            beta=beta,
        )
        row = law.observe("error", range(1), 0).rows[0]
        listed.append(np.sqrt(row.weights @ row.values**2))
    made.terms = (4,)  # below what the options allow, and small enough to list
    found = made.observe("vr_over_hgp", range(1), 0).rows[0].values[0]
    assert found == pytest.approx(listed[0] / listed[1], rel=1e-10)
    assert made.observe("best_over", range(1), 0).rows[0].values[0] == pytest.approx(found)


def test_too_few_terms_get_one_line():
    with pytest.raises(ValueError, match=r"^hgp-rmse: terms is \[3\]; need integers >= 5$"):
        experiment("hgp-rmse", terms=[3])
