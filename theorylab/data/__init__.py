"""Real data and its split over clients, one line each, alphabetical."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.data.cifar import cifar10 as cifar10
    from theorylab.data.cifar import cifar100 as cifar100
    from theorylab.data.digits import digits as digits
    from theorylab.data.idx import emnist as emnist
    from theorylab.data.idx import fashion_mnist as fashion_mnist
    from theorylab.data.idx import mnist as mnist
    from theorylab.data.labelled import Labelled as Labelled
    from theorylab.data.leaf import leaf as leaf
    from theorylab.data.load import NAMES as NAMES
    from theorylab.data.load import load as load
    from theorylab.data.pachinko import pachinko as pachinko
    from theorylab.data.partition import by_classes as by_classes
    from theorylab.data.partition import dirichlet as dirichlet
    from theorylab.data.partition import iid as iid
    from theorylab.data.split import natural as natural
    from theorylab.data.split import split as split
    from theorylab.data.tiny_imagenet import tiny_imagenet as tiny_imagenet
else:
    from theorylab.lazy import attach

    attach(__name__)
