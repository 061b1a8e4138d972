"""Constants of an instance, each with how it is known."""

from theorylab.constants.consensus import consensus_pair as consensus_pair
from theorylab.constants.consensus import consensus_pairs as consensus_pairs
from theorylab.constants.mixing import diameter as diameter
from theorylab.constants.mixing import lambda2 as lambda2
from theorylab.constants.mixing import sigma2 as sigma2
from theorylab.constants.mixing import spectral_gap as spectral_gap
from theorylab.constants.sequence import delta as delta
from theorylab.constants.sequence import window as window
from theorylab.constants.sgp import sgp_pair as sgp_pair
from theorylab.constants.topology_constants import topology_constants as topology_constants
