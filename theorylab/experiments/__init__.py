"""What statements are about beside runs of an algorithm, one line each, alphabetical."""

from theorylab.experiments._base import EXPERIMENTS as EXPERIMENTS
from theorylab.experiments._base import Experiment as Experiment
from theorylab.experiments._base import Observation as Observation
from theorylab.experiments._base import Row as Row
from theorylab.experiments._base import check_column as check_column
from theorylab.experiments._base import experiment as experiment
from theorylab.experiments.rate import Rate as Rate
