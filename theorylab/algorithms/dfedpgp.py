"""DFedPGP: push-sum on the shared part, alternating local steps (dfedpgp, Algorithm 1)."""

from __future__ import annotations

from typing import ClassVar

from theorylab.algorithms._partial import Alternating


class DFedPGP(Alternating, name="dfedpgp"):
    """Algorithm 1 of dfedpgp, line by line (mu of the paper is ``State.w``, u is ``State.x``).

    * Line 1: z^0 = u^0, mu^0 = 1.
    * Line 4: u^{t,0} = u^t, one minibatch xi_i.
    * Lines 5-8: v^{t,k+1} = v^{t,k} - eta_v grad_v F_i(z^{t,0}, v^{t,k}; xi_i), K_v times from
      v^{t,0} = v^t (not printed); the last is v^{t+1}.
    * Lines 9-13: u^{t,k+1} = u^{t,k} - eta_u grad_u F_i(z^{t,k}, v^{t+1}; xi_i) and
      z^{t,k+1} = u^{t,k+1} / mu^t, K_u times; the last u is u^{t+1/2}.
    * Lines 14-17: push-sum with P(t) on u and mu, and z = u / mu.

    z^{t,0} (lines 6 and 10) is not set before line 11. It is z^t: Section 3.2 says that the
    gradient of line 6 is taken at z_i^t, and so does the proof of Lemma 1. The output "u^T = z^T"
    is (z^T, v^T).

    ``batch``: line 4 draws one minibatch for all K_v + K_u steps ("per-round", the default, as
    printed). Then v^{t,k} depends on xi_i from k = 1 on, and the gradient there is not unbiased
    given v^{t,k}, which the proof of Theorem 1 uses; "per-step" draws anew for each step, as its
    proof needs and as the experiments' "epochs" must have done.

    ``topology``: the theory wants columns that sum to 1 (random-out is Section 3.1's graph); the
    experiments (Appendix B, Eq. (6)) take rows that sum to 1, random-in: mu then stays 1, and u
    does not keep its sum. The input's p_{j,i}^t = 1/|N_{i,0}^out| prints 0 where t is meant.

    Heterogeneous work (Section 5.2, Table 3: 100 clients in 5 parts of 1, 2, 3, 4 and 5 local
    epochs): one number a client, ``steps_u=(1, 2, 3, 4, 5) * 20``. The paper does not say whether
    v's work varies too; say it with ``steps_v``.

    Args:
        eta_u, eta_v: > 0. Experiments: eta_u = .1; eta_v is not given.
        steps_u, steps_v: K_u, K_v >= 1, or one a client. Experiments: 5 epochs and 1.
        momentum: 0 as printed; experiments .9. From 0 at the start of each phase: the paper says
            "local momentum" and no more.
        weight_decay: 0 as printed; experiments "a decay rate of 0.005" (Section 5.1) against
            5e-4 (Table 8). Added to the gradient as weight_decay z, where it is taken.
        decay: both step sizes times decay^t, 1 as printed; experiments .99 (Section 5.1) against
            0.9 (Table 8).
        batch: see above.

    Raises:
        ValueError: one line naming the option that is out of range.
    """

    push_sum: ClassVar[bool] = True
