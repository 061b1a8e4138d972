"""The methods of the federated papers' tables, as the experiment method-accuracy takes them.

Every method has five local steps a round, a momentum of .9 where the papers give it one, and as
many neighbours, or clients of the server, as every other: the papers keep the busiest node alike. A
step size is chosen for each by validation, from the same three, and larger ones while the largest
is the best.
"""

from __future__ import annotations

from typing import Any

NEIGHBOURS, CLIENTS, ROUNDS = 3, 12, 30
_SERVER = {"alpha": 0.9, "fraction": NEIGHBOURS / CLIENTS}
_PULL = {"topology": {"name": "random-in", "degree": NEIGHBOURS}}
_PUSH = {"topology": {"name": "random-out", "degree": NEIGHBOURS}}
_SYMMETRIC = {"topology": {"name": "random-symmetric", "degree": NEIGHBOURS}}
_SPLIT = {"steps_as": {"eta_u": 1.0, "eta_v": 1.0}}
_EPOCHS = {"momentum": 0.9, "batch": "per-step", "steps_u": 5, **_SPLIT}
SIDES: dict[str, dict[str, Any]] = {
    "Local": {"name": "local", "alpha": 0.9},
    "FedAvg": {"name": "fedavg", **_SERVER},
    "FedPer": {"name": "fedper", **_SERVER},
    "FedRep": {"name": "fedrep", **_SERVER, "head_steps": 10},
    "FedBABU": {"name": "fedbabu", **_SERVER},
    "Fed-RoD": {"name": "fed-rod", **_SERVER},
    "Ditto": {"name": "ditto", **_SERVER},
    "D-PSGD": {"name": "dpsgd", **_SYMMETRIC},
    "DFedAvg": {"name": "dfedavg", **_SYMMETRIC},
    "DFedAvgM": {"name": "dfedavgm", **_SYMMETRIC},
    "DFedAvgM-P": {"name": "dfedavgm-p", **_SPLIT, **_SYMMETRIC},
    "DFedSAM": {"name": "dfedsam", "rho": 0.25, **_SYMMETRIC},
    "Dis-PFL": {"name": "dis-pfl", "alpha": 0.9, "rounds": ROUNDS, **_SYMMETRIC},
    "SGP": {"name": "sgp", **_PUSH},
    "OSGP": {"name": "osgp", **_PUSH},
    "DFedPGP": {"name": "dfedpgp", **_EPOCHS, "steps_v": 1, **_PULL},
    "DFedAlt": {"name": "dfedalt", **_EPOCHS, "steps_v": 1, **_SYMMETRIC},
    "DFedSalt": {"name": "dfedsalt", **_EPOCHS, "steps_v": 1, "rho": 0.7, **_SYMMETRIC},
    "DePRL": {"name": "deprl", "tau": 2, "steps_as": {"alpha": 1.0, "beta": 1.0}, **_SYMMETRIC},
    "DFedSGPSM": {"name": "dfedsgpsm", "alpha": 0.9, "rho": 0.1, "local_steps": 5, **_PUSH},
    "DFedSGPSM-S": {
        "name": "dfedsgpsm-s", "alpha": 0.9, "rho": 0.1, "local_steps": 5,
        "neighbours": NEIGHBOURS,
    },
}  # fmt: skip


def setting(data: dict[str, Any], **options: Any) -> dict[str, Any]:
    """An instance of method-accuracy: a small perceptron on the digits, 12 clients, 30 rounds."""
    return {
        "clients": CLIENTS,
        "rounds": ROUNDS,
        "every": 2,
        "model": {"name": "mlp", "hidden": [16], "batch": 16},
        "data": {"data": "digits", **data},
        "sides": SIDES,
        "steps": [0.02, 0.1, 0.5],
        "tuning": 2,
        "target": 0.8,
        "most_runs": 16,
        **options,
    }


FEW = ("Local", "FedRep", "DFedAvgM", "Dis-PFL")  # of each kind of rival one
DIRICHLET = {"partition": "dirichlet", "alpha": 0.3}
PATHOLOGICAL = {"partition": "classes", "classes_per_client": 2}
# 1400 of the images that Debian packages; where they are not, a check is not run. With 784 inputs
# in place of 64 smaller steps are the best ones.
FASHION = setting(
    {"data": "fashion-mnist", "fraction": 0.02, **DIRICHLET}, steps=[0.004, 0.02, 0.1]
)
# The setting of the papers' own tables on CIFAR-10.
CIFAR10: dict[str, Any] = {
    "clients": 100,
    "data": {"data": "cifar10"},
    "model": {"name": "resnet18"},
    "rounds": 500,
    "epochs": 5,
}
