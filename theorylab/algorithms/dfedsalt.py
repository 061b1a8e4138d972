"""DFedSalt: DFedAlt whose local steps use SAM (dfedalt_dfedsalt, Algorithm 1, Option II)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from theorylab.algorithms._base import chosen
from theorylab.algorithms._partial import Phase
from theorylab.algorithms.dfedalt import DFedAlt

SAM = ("body", "head", "both", "whole")


@dataclass(frozen=True)
class DFedSalt(DFedAlt, name="dfedsalt"):
    """Algorithm 1 of dfedalt_dfedsalt with Option II; all but lines 17-19 is DFedAlt.

    * Line 18: eps = rho g / |g|, g = grad_u F_i(u^{t,k}, v^{t+1}; xi_i), the norm over a client's
      own u. Where g is 0, 0/0, nothing is added.
    * Line 19 is garbled in print (its arguments read "u^{t,k}, e^{t+1}") and Section 3.2 speaks of
      "adding the perturbation term into the direction of gradient". It is
      u^{t,k+1} = u^{t,k} - eta_u grad_u F_i(u^{t,k} + eps, v^{t+1}; xi_i): the proofs of Lemma 4
      and of Theorem 2 start from that. Both gradients see the same minibatch, also with
      ``batch="per-step"``.

    ``sam`` says where SAM is used (Table 3): "body", u's steps, the default as in the paper
    (DFedSalt-U); "head", v's steps, each moved along its own gradient (DFedSalt-V); "both", each
    part's steps in its own phase (DFedSalt-UV, "adding SAM to both shared and personal parts").
    Section 5.3 also calls UV "SAM into the whole model (u_i, v_i)": "whole" is that reading, each
    step's point is (u, v) + rho g / |g| with the full gradient g. "both" is the reading that needs
    nothing but Option II applied to either phase.

    Args:
        rho: SAM radius >= 0, in units of the parameters. Experiments: .7; Theorem 2 has
            rho = O(1/sqrt T).
        sam: see above.
        Otherwise as DFedAlt. ``weight_decay`` acts at the unperturbed point.
    """

    rho: float = field(kw_only=True)
    sam: str = field(default="body", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen(self.name, "sam", self.sam, SAM)

    def phases(self, t: int) -> tuple[Phase, Phase]:
        """Round t's local steps on v, and on u."""
        head, body = super().phases(t)
        whole = self.sam == "whole"
        if self.sam != "body":
            head = replace(head, rho=self.rho, whole=whole)
        if self.sam != "head":
            body = replace(body, rho=self.rho, whole=whole)
        return head, body
