"""DFedAlt: alternating local steps, gossip of the shared part (dfedalt_dfedsalt, Algorithm 1)."""

from __future__ import annotations

from theorylab.algorithms._partial import Alternating


class DFedAlt(Alternating, name="dfedalt"):
    """Algorithm 1 of dfedalt_dfedsalt with Option I, line by line.

    * Line 4: u^{t,0} = u^t, one minibatch xi_i.
    * Lines 5-8: v^{t,k+1} = v^{t,k} - eta_v grad_v F_i(u^{t,0}, v^{t,k}; xi_i), K_v times from
      v^{t,0} = v^t (not printed); the last is v^{t+1}.
    * Lines 9-11 and 16: u^{t,k+1} = u^{t,k} - eta_u grad_u F_i(u^{t,k}, v^{t+1}; xi_i), K_u times.
    * Line 12: z_i^t = u^{t,K_u} is sent. Line 13 prints u_i^{t+1} = sum_{l in N(i)} w_{i,l} z_i^t,
      which would scale a client's own model by its row sum, 1: nothing would be exchanged. The sum
      is over l and line 12 receives z_j^t, so it is sum_l w_{i,l} z_l^t.

    W is doubly stochastic in the theory (Definition 1). Any P is accepted, as in plain gossip.
    ``batch``: "per-round" is line 4 (default, as printed); "per-step" draws anew for each step, as
    unbiased gradients along the way need and as the experiments' "epochs" must have done.

    Args:
        eta_u, eta_v: > 0. Experiments: .1 and .001.
        steps_u, steps_v: K_u, K_v >= 1, or one a client. Experiments: 5 epochs; v's are 1
            (Dirichlet) or 5 (pathological).
        momentum: 0 as printed; experiments .9 ("local momentum"), from 0 in each phase.
        weight_decay: 0 as printed; experiments "a decay rate of 0.005".
        decay: both step sizes times decay^t. Not in the paper, whose "decay rate of 0.005" may
            also be read as a step size decay of .995 a round.
        batch: see above.

    Raises:
        ValueError: one line naming the option that is out of range.
    """
