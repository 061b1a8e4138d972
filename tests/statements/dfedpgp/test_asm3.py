"""Bounded variance: the verdicts, and variances that are too small."""

import pytest

from theorylab.statements.dfedpgp.asm3 import STATEMENT


@pytest.mark.parametrize(("version", "shares"), [("printed", (8, 6, 5, 4, 3)),
                                                 ("printed/v", (8, 6, 4, 2, 1.5))])  # fmt: skip
def test_a_smaller_variance_is_refuted(version, shares, missed):
    # "state" noise is below its sigma at the drawn point: about 1/2 of it in u, .92 in v
    whole = STATEMENT.versions[version].terms["variance"]
    variants = {f"1/{k}": {"variance": whole / k} for k in shares}
    assert missed(STATEMENT, version, variants) == set()
