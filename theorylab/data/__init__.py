"""Real data and its split over clients, one line each, alphabetical."""

from theorylab.data.digits import Digits as Digits
from theorylab.data.digits import digits as digits
from theorylab.data.partition import by_classes as by_classes
from theorylab.data.partition import dirichlet as dirichlet
from theorylab.data.partition import iid as iid
