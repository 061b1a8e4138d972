"""Questions that several tests ask, small enough for a tenth of a second."""

from fractions import Fraction

from theorylab.algorithms import algorithm
from theorylab.topologies import topology
from theorylab.worst import Functions, worst

EDGES = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 0], [0, 2]]  # a directed ring and a chord
STRONG = Functions(Fraction(1, 10), 1)
BALL = {"distance": 1, "spread": 1}


def chord():
    return topology("edge-list", 3, edges=EDGES, weights="uniform")


def asked(name="sgp", rounds=2, network=None, functions=STRONG, start=BALL, metric=None, **options):
    """The keywords of ``worst`` and its method and network."""
    eta = options.pop("eta", 0.5)
    more = {"functions": functions, "start": start, "metric": metric, "rounds": rounds}
    return (algorithm(name, eta=eta, **options), network or chord()), more


def proved(*arguments, **options):
    """The answer with its certificate."""
    words, more = asked(*arguments, **options)
    return worst(*words, **more, certify=True)
