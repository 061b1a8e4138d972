"""The claims of papers and gallery, each under its own protocol."""


def test_every_claim_of_a_speedup_is_judged_and_none_by_its_own_steps_holds():
    """beta = sqrt(N/K) is a control that must fail: it falls with P = I or without noise, too."""
    from theorylab.speedup.claims import CLAIMS, judged_claims

    found = judged_claims()
    assert len(found) == len(CLAIMS)
    for claim, study in found:
        grows = "step" in claim.protocol
        assert study.exact
        assert study.verdict.name == ("INCONCLUSIVE" if grows else "HOLDS"), claim
        assert study.controls[0].slope.low > study.slope.high
