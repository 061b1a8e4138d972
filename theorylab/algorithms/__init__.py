"""Every algorithm, one file each."""

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from theorylab.algorithms._audit import Audits as Audits
from theorylab.algorithms._audit import MassError as MassError
from theorylab.algorithms._base import UNSEEDED as UNSEEDED
from theorylab.algorithms._base import Algorithm as Algorithm
from theorylab.algorithms._base import Context as Context
from theorylab.algorithms._base import LocalStep as LocalStep
from theorylab.algorithms._base import Recorder as Recorder
from theorylab.algorithms._base import Samples as Samples
from theorylab.algorithms._base import State as State
from theorylab.algorithms._base import numbers as numbers
from theorylab.algorithms._exchange import Delayed as Delayed
from theorylab.algorithms.asyng import AsyNG as AsyNG
from theorylab.algorithms.clustered_fl import ClusteredFL as ClusteredFL
from theorylab.algorithms.deprl import DePRL as DePRL
from theorylab.algorithms.dfedalt import DFedAlt as DFedAlt
from theorylab.algorithms.dfedavg import DFedAvg as DFedAvg
from theorylab.algorithms.dfedavgm import DFedAvgM as DFedAvgM
from theorylab.algorithms.dfedavgm_p import DFedAvgMP as DFedAvgMP
from theorylab.algorithms.dfedem import DFedEM as DFedEM
from theorylab.algorithms.dfedpgp import DFedPGP as DFedPGP
from theorylab.algorithms.dfedsalt import DFedSalt as DFedSalt
from theorylab.algorithms.dfedsam import DFedSAM as DFedSAM
from theorylab.algorithms.dfedsgpsm import DFedSGPSM as DFedSGPSM
from theorylab.algorithms.dfedsgpsm_s import DFedSGPSMS as DFedSGPSMS
from theorylab.algorithms.dispfl import DisPFL as DisPFL
from theorylab.algorithms.dispfl import erk_densities as erk_densities
from theorylab.algorithms.ditto import Ditto as Ditto
from theorylab.algorithms.dpsgd import DPSGD as DPSGD
from theorylab.algorithms.fedavg import FedAvg as FedAvg
from theorylab.algorithms.fedavg_plus import FedAvgPlus as FedAvgPlus
from theorylab.algorithms.fedbabu import FedBABU as FedBABU
from theorylab.algorithms.fedem import FedEM as FedEM
from theorylab.algorithms.fedper import FedPer as FedPer
from theorylab.algorithms.fedprox import FedProx as FedProx
from theorylab.algorithms.fedrep import FedRep as FedRep
from theorylab.algorithms.fedrod import FedRoD as FedRoD
from theorylab.algorithms.local import Local as Local
from theorylab.algorithms.osgp import OSGP as OSGP
from theorylab.algorithms.pfedme import PFedMe as PFedMe
from theorylab.algorithms.sgp import SGP as SGP

ALGORITHMS: dict[str, Callable[..., Algorithm]] = {
    "asyng": AsyNG,
    "clustered-fl": ClusteredFL,
    "deprl": DePRL,
    "dfedalt": DFedAlt,
    "dfedavg": DFedAvg,
    "dfedavgm": DFedAvgM,
    "dfedavgm-p": DFedAvgMP,
    "dfedem": DFedEM,
    "dfedpgp": DFedPGP,
    "dfedsalt": DFedSalt,
    "dfedsam": DFedSAM,
    "dfedsgpsm": DFedSGPSM,
    "dfedsgpsm-s": DFedSGPSMS,
    "dis-pfl": DisPFL,
    "ditto": Ditto,
    "dpsgd": DPSGD,
    "fed-rod": FedRoD,
    "fedavg": FedAvg,
    "fedavg-plus": FedAvgPlus,
    "fedbabu": FedBABU,
    "fedem": FedEM,
    "fedper": FedPer,
    "fedprox": FedProx,
    "fedrep": FedRep,
    "local": Local,
    "osgp": OSGP,
    "pfedme": PFedMe,
    "sgp": SGP,
}


def algorithm(name: str, **options: Any) -> Algorithm:
    """The algorithm called ``name``; ValueError for an unknown name or option."""
    if name not in ALGORITHMS:
        raise ValueError(f"algorithm: {name!r} is unknown; need one of {', '.join(ALGORITHMS)}")
    made: Any = ALGORITHMS[name]
    known = [each.name for each in fields(made)]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ValueError(f"{name}: unknown option {unknown[0]!r}; need one of {', '.join(known)}")
    required = [each.name for each in fields(made) if _has_no_default(each)]
    missing = [each for each in required if each not in options]
    if missing:
        what = "step size " if missing[0].startswith("eta") else ""
        need = "eta > 0" if required == ["eta"] else ", ".join(required)
        raise ValueError(f"{name}: no {what}{missing[0]} is given; need {need}")
    method: Algorithm = made(**options)
    return method


def _has_no_default(option: Any) -> bool:
    return option.default is MISSING and option.default_factory is MISSING


__all__ = [
    "ALGORITHMS", "DPSGD", "OSGP", "SGP", "UNSEEDED", "Algorithm", "AsyNG", "Audits",
    "ClusteredFL", "Context", "DFedAlt", "DFedAvg", "DFedAvgM", "DFedAvgMP", "DFedEM",
    "DFedPGP", "DFedSAM", "DFedSGPSM", "DFedSGPSMS", "DFedSalt", "DePRL", "Delayed", "DisPFL",
    "Ditto", "FedAvg", "FedAvgPlus", "FedBABU", "FedEM", "FedPer", "FedProx", "FedRep",
    "FedRoD", "Local", "LocalStep", "MassError", "PFedMe", "Recorder", "Samples", "State",
    "algorithm", "erk_densities", "numbers",
]  # fmt: skip
