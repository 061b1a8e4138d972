"""Every algorithm, one file each."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.algorithms._algorithm import ALGORITHMS as ALGORITHMS
    from theorylab.algorithms._algorithm import Algorithm as Algorithm
    from theorylab.algorithms._algorithm import algorithm as algorithm
    from theorylab.algorithms._algorithm import play as play
    from theorylab.algorithms._audit import Audits as Audits
    from theorylab.algorithms._audit import MassError as MassError
    from theorylab.algorithms._base import UNSEEDED as UNSEEDED
    from theorylab.algorithms._base import Coin as Coin
    from theorylab.algorithms._base import Context as Context
    from theorylab.algorithms._base import LocalStep as LocalStep
    from theorylab.algorithms._base import Recorder as Recorder
    from theorylab.algorithms._base import Samples as Samples
    from theorylab.algorithms._base import State as State
    from theorylab.algorithms._base import is_schedule as is_schedule
    from theorylab.algorithms._base import largest_entry as largest_entry
    from theorylab.algorithms._base import numbers as numbers
    from theorylab.algorithms._base import step_counts as step_counts
    from theorylab.algorithms._base import step_size as step_size
    from theorylab.algorithms._local_method import Phases as Phases
    from theorylab.algorithms._local_method import declared_phases as declared_phases
    from theorylab.algorithms._partial import PartialMethod as PartialMethod
    from theorylab.algorithms._partial import takes_steps_by_run as takes_steps_by_run
    from theorylab.algorithms._travel import Delayed as Delayed
    from theorylab.algorithms._travel import Drawn as Drawn
    from theorylab.algorithms._travel import GraphRuns as GraphRuns
    from theorylab.algorithms._travel import Link as Link
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
else:
    from theorylab.lazy import attach

    attach(__name__)
