r"""Appendix A, the data sets: "Each dataset comprises 50,000 images for training and 10,000 images
for testing", of MNIST, CIFAR-10 and CIFAR-100.

MNIST has 60,000 images for training. (10,000 of them may be kept for validation; the text does not
say so, and Table 1 is of test images.) Also printed, and true: 100 clients of which 10 % take part
are the 10 neighbours of each client.

Corrected: 60,000 for MNIST.
"""

from __future__ import annotations

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, claim, said
from theorylab.statements.dfedsgpsm._causes import MNIST_IMAGES
from theorylab.statements.dfedsgpsm._tables import SIZES


def _sizes(**train: int) -> list[dict[str, object]]:
    each = {"MNIST": 50000, "CIFAR-10": 50000, "CIFAR-100": 50000} | train
    return [
        claim(f"{count} {part} images, {name}", f"{name} | {part}", "=", count)
        for name, images in each.items()
        for part, count in (("train", images), ("test", 10000))
    ]


STATEMENT = Statement(
    id="dfedsgpsm.appa_data",
    source=Source("dfedsgpsm", "Appendix A, data sets", "how many images there are"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(
            SIZES,
            _sizes(),
            causes=(MNIST_IMAGES,),
            exact=True,
        ),
        "corrected": said(
            SIZES, _sizes(MNIST=60000), note="60,000 for MNIST", mends=(MNIST_IMAGES,), exact=True
        ),
    },
)
