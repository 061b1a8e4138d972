import pytest

from theorylab.algorithms import OSGP


def test_momentum_and_sam_are_refused():
    with pytest.raises(ValueError, match=r"osgp: alpha is 0.5; need 0 \(use dfedsgpsm\)"):
        OSGP(0.1, alpha=0.5)
    with pytest.raises(ValueError, match=r"osgp: rho is 0.5; need 0 \(use dfedsgpsm\)"):
        OSGP(0.1, rho=0.5)
