"""pdbo's personalised problems by name: ``bilevel("pdbo-mtl", 100, model="softmax", ...)``.

Section 6.1 and Appendix D, for every client i with training data of its own:

    global       one model, nothing to tune (lambda_i in R, without effect): plain SGP's problem
    pdbo-da      the loss of a sample of class c counts C softmax(lambda_i)_c times
    pdbo-mtl     K models; the prediction is their average with weights softmax(lambda_i)
    pdbo-mtl-da  both; lambda_i holds the K numbers first, then the C: "[lambda^K lambda^C]"

f_i is over the client's training data and has an l2 weight of its own ("L2 regularization with
0.001 decay"). F_i is "the average cross-entropy loss over the local train dataset of the i-th node
and L2 regularization loss of lambda_i", without label weights; that loss is read as
rate/2 |lambda_i|^2 (the text does not say which half), with the rates of Table 2. lambda starts at
0, x at a draw of its own (``initial``). Table 4's SGP-MTL, "an ensemble model with uniform
prediction weights", is pdbo-mtl at lambda = 0.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.hypergradients._bilevel import Bilevel
from theorylab.hypergradients._personal_data import (
    PersonalData,
    PersonalOptions,
    held,
    personal_data,
)
from theorylab.hypergradients.softmax_ensemble import SoftmaxEnsemble
from theorylab.hypergradients.softmax_weights import SoftmaxWeights
from theorylab.problems._options import count

_COMMON = ("reg", "batch", "outer")
_OWN: Mapping[str, Mapping[str, Any]] = {  # options of a name's own, and their defaults
    "global": {},
    "pdbo-da": {"label_reg": 0.0},
    "pdbo-mtl": {"components": 3, "component_reg": 0.01},
    "pdbo-mtl-da": {"components": 3, "component_reg": 0.01, "label_reg": 0.0005},
}
_NETWORK = {"hidden": None, "dtype": "float64", "device": "cpu", "memory": 2**28, "tf32": False}
_SHAPES: Mapping[str, Mapping[str, Any]] = {
    "softmax": {"device": "cpu"},
    "mlp": _NETWORK,
    "cnn": {"channels": None, "kernel": None, **_NETWORK},
}
_DATA = tuple(inspect.signature(personal_data).parameters)[2:]
BILEVELS, MODELS = tuple(_OWN), tuple(_SHAPES)


def bilevel(name: str, clients: int, *, model: str = "softmax", **options: Any) -> Bilevel:
    """The personalised problem ``name`` for ``clients`` clients.

    Args:
        name: one of BILEVELS. clients: n.
        model: "softmax" (float64, regression on the pixels and a 1; NumPy, or for pdbo-da torch
            tensors on another device), or "mlp" or "cnn" (torch tensors): networks of
            ``theorylab.problems``, small by default.
        options: those of ``PersonalOptions`` (reg .001, batch None, outer "train"; components 3,
            component_reg and label_reg where lambda holds them), of ``personal_data`` (data,
            root, partition, alpha, classes_per_client, fraction, validation, test, seed), device,
            and for networks those of ``NetworkEnsemble`` (channels, kernel, hidden, dtype, memory,
            tf32).

    Raises:
        ValueError: an unknown name, model or option (the known ones are listed), or a bad value.
        TypeError: a value of a wrong kind. ImportError: the package that reads the data is missing.
    """
    for what, came, known in (("problem", name, BILEVELS), ("model", model, MODELS)):
        if came not in known:
            raise ValueError(f"bilevel: no {what} {came!r}; need one of {', '.join(known)}")
    own, shape = _OWN[name], _SHAPES[model]
    allowed = (*_COMMON, *own, *shape, *_DATA)
    for option in options:
        if option not in allowed:
            raise ValueError(
                f"bilevel: {name} of {model} has no option {option!r}; has {', '.join(allowed)}"
            )
    clients = count(name, "clients", clients)
    chosen = PersonalOptions(
        name,
        mixed=name != "pdbo-da",
        weighted="label_reg" in own,
        **{**own, **{k: v for k, v in options.items() if k in (*_COMMON, *own)}},
    )
    if chosen.components == 1 and model == "softmax" and not chosen.reg > 0:
        raise ValueError(
            f"{name}: reg is {chosen.reg!r}; Assumption 1 (strong convexity) needs > 0"
        )
    data = personal_data(name, clients, **{k: v for k, v in options.items() if k in _DATA})
    network = {**shape, **{k: v for k, v in options.items() if k in shape}}
    if model == "softmax":
        made = _regression(chosen, clients, data, network["device"])
        network = {k: v for k, v in network.items() if v != "cpu"}
    else:
        from theorylab.hypergradients.network_ensemble import NetworkEnsemble

        made = NetworkEnsemble(data, model, chosen, **network)
    if data.described is not None:
        kept = {key: getattr(chosen, key) for key in (*_COMMON, *own)}
        network = {k: v for k, v in network.items() if k != "tf32" or v}
        made.named = {
            "name": name, "clients": clients, "model": model, **kept, **network, **data.described
        }  # fmt: skip
    return made


def _regression(options: PersonalOptions, clients: int, data: PersonalData, device: str) -> Bilevel:
    if options.mixed and device != "cpu":
        raise ValueError(
            f"{options.where}: device is {device!r}, but ensembles of softmax regressions run on "
            "the host; need cpu, model mlp or cnn, or pdbo-da"
        )
    rows, classes = {}, data.source.classes
    for part, each in data.parts.items():
        flat = each.inputs.reshape(len(each.labels), -1).astype(np.float64) * data.source.scale
        rows[part] = np.concatenate([flat, np.ones((len(flat), 1))], axis=1)
    kept = {part: held(rows[part], each.labels, each.sizes) for part, each in data.parts.items()}
    if options.mixed:
        return SoftmaxEnsemble(kept, classes, options)
    train = data.parts["train"]
    return SoftmaxWeights(
        clients,
        reg=options.reg,
        batch=options.batch,
        hyper_reg=options.label_reg,
        outer=None if options.outer == "train" else kept[options.outer],
        held={part: each for part, each in kept.items() if part != "train"},
        device=device,
        features=rows["train"],
        labels=train.labels,
        owners=np.repeat(np.arange(clients), train.sizes),
    )
