from fractions import Fraction

import numpy as np
import pytest
import torch

from theorylab.kernels import glm_hvp, mix_jvp, softmax_hvp

DTYPES = [np.float32, np.float64]
R, N, M, D, K, C = 2, 4, 11, 19, 2, 3
REG = 0.25


def draw(dtype, classes=False):
    rng = np.random.default_rng(3)
    tail = (C,) if classes else ()
    c = rng.standard_normal((R, N, N)) * (rng.random((R, N, N)) < 0.6)
    u, s = rng.standard_normal((R, N, K, D, *tail)), rng.random((R, N))
    A, h = rng.standard_normal((N, M, D)), rng.random((R, N, M))
    made = [a.astype(dtype) for a in (c, u, s, A, h)]
    p = rng.random((R, N, M, C)).astype(dtype) if classes else None
    return made, p


def mixed(c, u):
    """sum_j c_ij u_j in the contract's order, one product and one sum at a time."""
    out = np.zeros_like(u)
    for r, i, j in np.ndindex(R, N, N):
        if c[r, i, j] != 0:
            out[r, i] = out[r, i] + c[r, i, j] * u[r, j]
    return out


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_a_step_is_the_mix_less_the_product_bit_for_bit(variant, dtype, classes):
    (c, u, s, A, h), p = draw(dtype, classes)
    before = [a.copy() for a in (c, u, s, A, h)]
    out = mix_jvp(c, u, s, A, h, REG, prob=p, variant=variant)
    m = mixed(c, u)
    at = m if variant == "4a" else u
    product = softmax_hvp(A, p, h, at, REG) if classes else glm_hvp(A, h, at, REG)
    assert np.array_equal(out, m - s.reshape(R, N, *[1] * (u.ndim - 2)) * product)
    assert all(np.array_equal(a, b) for a, b in zip((c, u, s, A, h), before, strict=True))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_a_step_is_the_exact_one_within_the_rounding_bound(variant, dtype):
    (c, u, s, A, h), _ = draw(dtype)
    out = mix_jvp(c, u, s, A, h, REG, variant=variant)
    unit = Fraction(float(np.finfo(dtype).eps)) / 2
    # the mix: a product and N sums; the product with H: of 19 coordinates in lanes of at least 8
    # (3 sums, then 4 of the lanes at most), h, a, M sums, a chunk, 1/m, reg; then s and the
    # difference
    roundings = (1 + N) + (1 + 3 + 4 + 2 + M + 1 + 1 + 2) + 2
    limit = roundings * unit / (1 - roundings * unit)

    def number(x, size):
        return abs(Fraction(float(x))) if size else Fraction(float(x))

    def step(r, i, b, size):
        sign = 1 if size else -1
        own = [number(x, size) for x in u[r, i, b]]
        mix = [Fraction(0)] * D
        for j in range(N):
            share = number(c[r, i, j], size)
            mix = [x + share * number(y, size) for x, y in zip(mix, u[r, j, b], strict=True)]
        v = mix if variant == "4a" else own
        product = [Fraction(REG) * x for x in v]
        for j in range(M):
            a = [number(x, size) for x in A[i, j]]
            dot = sum(x * y for x, y in zip(a, v, strict=True))
            pull = number(h[r, i, j], size) * dot / M
            product = [x + pull * y for x, y in zip(product, a, strict=True)]
        scale = sign * number(s[r, i], size)
        return [x + scale * y for x, y in zip(mix, product, strict=True)]

    for r, i, b in np.ndindex(R, N, K):
        want, most = step(r, i, b, False), step(r, i, b, True)
        for e in range(D):
            assert abs(Fraction(float(out[r, i, b, e])) - want[e]) <= limit * most[e]


def test_an_edge_of_weight_0_is_none_and_the_others_are_read():
    (c, u, s, A, h), _ = draw(np.float64)
    c[:, 1, 2] = 0
    c[:, :2, 1] = c[:, 0, 2] = 1.0
    want = mix_jvp(c, u, s, A, h, REG)
    u[:, 2] = np.nan
    out = mix_jvp(c, u, s, A, h, REG)
    assert np.array_equal(out[:, 1], want[:, 1])
    assert np.isnan(out[:, 0]).all()


def test_rows_of_c_are_receivers():
    # only client 0 receives, from client 1
    c, u = np.zeros((2, 2)), np.arange(4.0).reshape(2, 1, 2)
    c[0, 1] = 1.0
    out = mix_jvp(c, u, np.zeros(2), np.ones((2, 1, 2)), np.ones((2, 1)))
    assert np.array_equal(out, [[[2.0, 3.0]], [[0.0, 0.0]]])


def test_out_and_tensors():
    (c, u, s, A, h), p = draw(np.float32, classes=True)
    want = mix_jvp(c, u, s, A, h, REG, prob=p)
    out = np.full_like(u, np.nan)
    assert mix_jvp(c, u, s, A, h, REG, prob=p, out=out) is out
    assert np.array_equal(out, want)
    tensors = [torch.from_numpy(a) for a in (c, u, s, A, h)]
    made = mix_jvp(*tensors, REG, prob=torch.from_numpy(p))
    assert isinstance(made, torch.Tensor)
    assert np.array_equal(made.numpy(), want)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"variant": "4c"}, "mix_jvp: variant is '4c'; need one of 4a, 4b"),
        ({"c": np.ones((N, N - 1))}, "mix_jvp: c has shape (4, 3); need (4,4) or (2,4,4)"),
        ({"s": np.ones(3)}, "mix_jvp: s has shape (3,); need (4) or (2,4)"),
        ({"h": np.ones((N, 2))}, "mix_jvp: h has shape (4, 2); need (4,11) or (2,4,11)"),
        ({"u": np.ones((R, N, D))[0]}, "mix_jvp: u has shape (4, 19), but A has (4, 11, 19); need"),
        ({"reg": np.nan}, "mix_jvp: reg is nan; need a finite number"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(change, message):
    (c, u, s, A, h), _ = draw(np.float64)
    given = {"c": c, "u": u, "s": s, "A": A, "h": h} | change
    with pytest.raises(ValueError, match=r".") as caught:
        mix_jvp(**given)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_out_may_be_none_of_the_inputs():
    (c, u, s, A, h), _ = draw(np.float64)
    with pytest.raises(ValueError, match=r"^mix_jvp: out overlaps u$"):
        mix_jvp(c, u, s, A, h, out=u)
    with pytest.raises(TypeError, match=r"^mix_jvp: c has dtype float32, but u has float64; need"):
        mix_jvp(c.astype(np.float32), u, s, A, h)
