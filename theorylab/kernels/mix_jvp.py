"""One step of HGP's vectors through the Jacobian of push-sum SGD, on the z block."""

from __future__ import annotations

from theorylab.kernels._arrays import Array
from theorylab.kernels.glm_hvp import _arrays, _product, plain

VARIANTS = ("4a", "4b")


def mix_jvp(
    c: Array,
    u: Array,
    s: Array,
    A: Array,
    h: Array,
    reg: float = 0.0,
    *,
    prob: Array | None = None,
    variant: str = "4b",
    out: Array | None = None,
) -> Array:
    """Return u' for all clients and all k vectors: with mixed_i = sum_j c_ij u_j,

    (4b)  u'_i = mixed_i - s_i H_i u_i          (4a)  u'_i = mixed_i - s_i H_i mixed_i

    (pdbo, Eq. 4a, 4b and 8, s_i = alpha_i / omega_i). H_i is that of ``glm_hvp(A, h, ., reg)``, or
    of ``softmax_hvp(A, prob, h, ., reg)`` where ``prob`` is given. Order of sums, bits and values
    as there; the mix runs through j rising. An edge of weight 0 is none: its u_j is not read.

    Args:
        c: (n, n) or (R, n, n), the weight of what i makes of j's message; finite or not.
        u: (n, k, d) or (R, n, k, d); with ``prob`` (.., n, k, d, C). With R if another has it.
        s: (n,) or (R, n).
        A, h, reg: of ``glm_hvp``, or A, weight, reg of ``softmax_hvp``.
        prob: of ``softmax_hvp``, or None.
        variant: "4a" or "4b".
        out: as u, overlapping nothing.

    Returns:
        As u. Memory: as ``glm_hvp``, or ``softmax_hvp``, and on a GPU once more as much as u where
        there are many clients of more than one chunk of rows.

    Raises:
        TypeError: wrong kind or dtype.
        ValueError: wrong shape or layout, another variant, overlap.
        MemoryError: the GPU has no room.
        RuntimeError: a launch failed.

    >>> c, s = np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([0.1, 0.1])
    >>> u, A, h = np.array([[[1.0]], [[3.0]]]), np.ones((2, 1, 1)), np.ones((2, 1))
    >>> mix_jvp(c, u, s, A, h).round(12).tolist()  # 2 - .1 u_i
    [[[1.9]], [[1.7]]]
    """
    if variant not in VARIANTS:
        raise ValueError(f"mix_jvp: variant is {variant!r}; need one of {', '.join(VARIANTS)}")
    before = variant == "4a"
    if c is not None:
        made = plain("mix_jvp", A, h, prob, u, reg, c, s, before, out)
        if made is not None:
            return made
    arrays = _arrays("mix_jvp", "u", u)
    mixing = (c, s, before)
    return _product(arrays, A, ("h", h), prob, ("u", u), reg, out, mixing)
