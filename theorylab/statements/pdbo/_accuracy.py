"""The settings in which what the text says of Tables 1 and 4 is run: softmax models on the digits.

``concepts``: three groups of clients name the ten classes in ways that conflict, 18 training images
each, so that no single model can be right. ``dirichlet``: the paper's own kind of data, labels
from Dirichlet(.4). ``wrong-labels``: three of ten training labels are wrong.

The paper's own: a tenth of EMNIST, 100 clients, the CNN of Marfoq et al. (2021), 600 rounds, 200
terms, 20 outer steps.
"""

from __future__ import annotations

from typing import Any

# Lists are what each row chooses from, by validation: see ``hypergradients.TableRows``.
_SIZES = {
    "rounds": 120, "terms": [20, 10], "series": [0.05, 0.1], "steps": [0.25, 0.5, 1.0], "tuning": 2,
}  # fmt: skip


def _setting(network: str, clients: int, outer_steps: int, **data: Any) -> dict[str, Any]:
    return {
        "clients": clients, "network": {"name": network}, "outer_steps": outer_steps, **_SIZES,
        "data": {"data": "digits", "model": "softmax", **data}, "most_runs": 16,
    }  # fmt: skip


def concepts(network: str) -> dict[str, Any]:
    """Conflicting names of the classes; 10 outer steps at the rate that Table 2 has on FC."""
    made = _setting(network, 18, 10, partition="iid", concepts=3, fraction=0.3)
    return made | {"component_rate": 1.0, "most_runs": 32}


def dirichlet(network: str) -> dict[str, Any]:
    """Labels that are unevenly spread."""
    return _setting(network, 12, 6, partition="dirichlet", alpha=0.4)


def wrong_labels(network: str) -> dict[str, Any]:
    """The same, and wrong ones among them."""
    return _setting(network, 12, 6, partition="dirichlet", alpha=0.4, wrong=0.3)


TABLE_1 = {
    "clients": 100, "rounds": 600, "terms": 200, "outer_steps": 20,
    "data": {"data": "emnist", "model": "cnn", "partition": "dirichlet", "alpha": 0.4,
             "fraction": 0.1, "batch": 128, "channels": [32, 64], "hidden": [2048]},
}  # fmt: skip
TABLE_4 = {**TABLE_1, "terms": 20, "network": {"name": "sto-d"}}
