"""Constants of an instance, each with how it is known."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.constants._bench import Bench as Bench
    from theorylab.constants._networks import network_constants as network_constants
    from theorylab.constants._pairs import PAIRS as PAIRS
    from theorylab.constants.certified import certified_constants as certified_constants
    from theorylab.constants.certified import certified_spectrum as certified_spectrum
    from theorylab.constants.compare import Contraction as Contraction
    from theorylab.constants.compare import Slack as Slack
    from theorylab.constants.compare import contraction as contraction
    from theorylab.constants.compare import slack_table as slack_table
    from theorylab.constants.consensus import consensus_pair as consensus_pair
    from theorylab.constants.consensus import consensus_pairs as consensus_pairs
    from theorylab.constants.consensus import consensus_sample as consensus_sample
    from theorylab.constants.constants_of import constants_of as constants_of
    from theorylab.constants.definition1 import definition1 as definition1
    from theorylab.constants.deprl import deprl_constants as deprl_constants
    from theorylab.constants.deprl_instance import (
        deprl_instance_constants as deprl_instance_constants,
    )
    from theorylab.constants.deprl_instance import deprl_losses as deprl_losses
    from theorylab.constants.deprl_instance import deprl_network as deprl_network
    from theorylab.constants.dfedalt import definition1_constants as definition1_constants
    from theorylab.constants.dfedalt import dfedalt_constants as dfedalt_constants
    from theorylab.constants.dfedalt import dfedalt_losses as dfedalt_losses
    from theorylab.constants.dfedpgp import dfedpgp_constants as dfedpgp_constants
    from theorylab.constants.dfedpgp import dfedpgp_losses as dfedpgp_losses
    from theorylab.constants.ergodic import dobrushin as dobrushin
    from theorylab.constants.ergodic import ergodic_coefficient as ergodic_coefficient
    from theorylab.constants.ergodic import product as product
    from theorylab.constants.expected import mean_contraction as mean_contraction
    from theorylab.constants.expected import mean_matrix as mean_matrix
    from theorylab.constants.hessian import largest_hessian_eigenvalue as largest_hessian_eigenvalue
    from theorylab.constants.losses import loss_constants as loss_constants
    from theorylab.constants.mixing import diameter as diameter
    from theorylab.constants.mixing import lambda2 as lambda2
    from theorylab.constants.mixing import periodicity as periodicity
    from theorylab.constants.mixing import perron as perron
    from theorylab.constants.mixing import sigma2 as sigma2
    from theorylab.constants.mixing import spectral_gap as spectral_gap
    from theorylab.constants.mixing import symmetric_lambda as symmetric_lambda
    from theorylab.constants.mixing_pair import mixing_pair as mixing_pair
    from theorylab.constants.mixing_time import mixing_time as mixing_time
    from theorylab.constants.papers import paper_constants as paper_constants
    from theorylab.constants.papers import paper_names as paper_names
    from theorylab.constants.personalised import PartialQuadratic as PartialQuadratic
    from theorylab.constants.personalised import kappa as kappa
    from theorylab.constants.remarks import dfedpgp_lemma3 as dfedpgp_lemma3
    from theorylab.constants.remarks import dfedpgp_remark2 as dfedpgp_remark2
    from theorylab.constants.remarks import dfedsgpsm_remark1 as dfedsgpsm_remark1
    from theorylab.constants.sequence import delta as delta
    from theorylab.constants.sequence import window as window
    from theorylab.constants.sgp import sgp_pair as sgp_pair
    from theorylab.constants.spectrum import eigenvalue_moduli as eigenvalue_moduli
    from theorylab.constants.topology_constants import graph_constants as graph_constants
    from theorylab.constants.topology_constants import topology_constants as topology_constants
else:
    from theorylab.lazy import attach

    attach(__name__)
