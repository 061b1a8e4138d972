"""What glm_hvp and softmax_hvp refuse, and that they say so in one line."""

import numpy as np
import pytest
import torch

from theorylab import _core
from theorylab.kernels import glm_hvp, softmax_hvp

R, N, M, D, K, C = 2, 3, 4, 5, 2, 3


def good(classes=False):
    tail = (C,) if classes else ()
    made = {"A": np.ones((N, M, D)), "V": np.ones((R, N, K, D, *tail))}
    if classes:
        return made | {"prob": np.ones((R, N, M, C)), "weight": np.ones((R, N, M))}
    return made | {"h": np.ones((R, N, M))}


def read_only(array):
    array.flags.writeable = False
    return array


def misaligned(*shape):
    room = np.zeros(8 * int(np.prod(shape)) + 1, np.uint8)
    return room[1:].view(np.float64).reshape(shape)


VALUES = [
    ({"A": np.ones((M, D))}, "A has shape (4, 5); need (n,m,d) or (R,n,m,d)"),
    ({"A": np.ones((N, 0, D))}, "A has shape (3, 0, 5); need at least one row a client"),
    ({"A": np.ones((3, N, M, D))}, "A has shape (3, 3, 4, 5); need (3,4,5) or (2,3,4,5)"),
    ({"h": np.ones((N, 7))}, "h has shape (3, 7); need (3,4) or (2,3,4)"),
    ({"h": np.ones((3, N, M))}, "h has shape (3, 3, 4); need (3,4) or (2,3,4)"),
    ({"V": np.ones((N, K, D))}, "h has shape (2, 3, 4); need (3,4), as V has no R"),
    ({"V": np.ones((N, D))}, "V has shape (3, 5), but A has (3, 4, 5); need (3,k,5) or (R,3,k,5)"),
    ({"V": np.ones((R, 4, K, D))}, "V has shape (2, 4, 2, 5), but A has (3, 4, 5); need (3,k,5)"),
    ({"V": np.ones((R, N, K, 6))}, "V has shape (2, 3, 2, 6), but A has (3, 4, 5); need (3,k,5)"),
    ({"V": np.ones((R, N, D, K)).swapaxes(2, 3)}, "V is not C-contiguous and aligned; copy it"),
    ({"A": np.ones((N, M, 2 * D))[..., ::2]}, "A is not C-contiguous and aligned; copy it first"),
    ({"A": misaligned(N, M, D)}, "A is not C-contiguous and aligned; copy it first"),
    ({"reg": np.inf}, "reg is inf; need a finite number"),
    ({"out": np.ones((N, K, D))}, "out has shape (3, 2, 5); need (2, 3, 2, 5)"),
    ({"out": read_only(np.ones((R, N, K, D)))}, "out is read-only; need writable memory"),
]
KINDS = [
    ({"A": [[1.0]]}, "A is list; need a NumPy array or a torch tensor, all of one kind"),
    ({"A": np.ones((N, M, D), int)}, "A has dtype int64; need float32 or float64"),
    ({"h": np.ones((N, M), np.float32)}, "h has dtype float32, but A has float64; need one dtype"),
    ({"V": np.ones((R, N, K, D), complex)}, "V has dtype complex128, but A has float64; need one"),
    ({"h": torch.ones(N, M)}, "h is Tensor; need a NumPy array or a torch tensor, all of one kind"),
    ({"A": torch.ones(N, M, D)}, "h is ndarray, but A is a tensor; need one kind"),
    ({"out": np.ones((R, N, K, D), "f")}, "out has dtype float32, but A has float64; need one"),
    ({"V": np.ma.ones((R, N, K, D))}, "V is MaskedArray; need a NumPy array or a torch tensor"),
]
SOFTMAX = [
    ({"prob": np.ones((N, M))}, "prob has shape (3, 4), but A has (3, 4, 5); need (3,4,C) or"),
    ({"prob": np.ones((N, M, 0))}, "prob has shape (3, 4, 0), but A has (3, 4, 5); need (3,4,C)"),
    ({"prob": np.ones((N, M, C))}, "prob has shape (3, 4, 3), weight (2, 3, 4); need both with R"),
    ({"weight": np.ones(M)}, "weight has shape (4,); need (3,4) or (2,3,4)"),
    ({"V": np.ones((R, N, K, D))}, "V has shape (2, 3, 2, 5), but A has (3, 4, 5); need (3,k,5,3)"),
]


@pytest.mark.parametrize(
    ("error", "change", "message"),
    [(ValueError, *case) for case in VALUES] + [(TypeError, *case) for case in KINDS],
)
def test_glm_hvp_names_what_came_and_what_is_needed(error, change, message):
    with pytest.raises(error, match=r".") as caught:
        glm_hvp(**(good() | change))
    assert str(caught.value).startswith(f"glm_hvp: {message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("change", "message"), SOFTMAX)
def test_softmax_hvp_names_what_came_and_what_is_needed(change, message):
    with pytest.raises(ValueError, match=r".") as caught:
        softmax_hvp(**(good(classes=True) | change))
    assert str(caught.value).startswith(f"softmax_hvp: {message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["A", "h", "V"])
def test_out_overlaps_no_input(name):
    given = good()
    room = np.ones(2000)
    shape = given[name].shape
    given[name] = room[: given[name].size].reshape(shape)
    first = given[name].size - 1  # one number in common
    out = room[first : first + given["V"].size].reshape(given["V"].shape)
    with pytest.raises(ValueError, match=rf"^glm_hvp: out overlaps {name}$"):
        glm_hvp(**given, out=out)
    apart = room[first + 1 : first + 1 + out.size].reshape(out.shape)
    assert glm_hvp(**given, out=apart) is apart


def test_a_tensor_that_requires_grad_is_refused():
    given = {name: torch.from_numpy(a) for name, a in good().items()}
    given["V"].requires_grad_()
    with pytest.raises(ValueError, match=r"^glm_hvp: V requires grad, which is not kept; detach"):
        glm_hvp(**given)


def plain(A=None, h=None, V=None, reg=0.5, out=None, **more):
    given = good() | {key: a for key, a in (("A", A), ("h", h), ("V", V)) if a is not None}
    prob, c, s = (more.get(key) for key in ("prob", "c", "s"))
    return _core.plain_hvp(given["A"], given["h"], prob, given["V"], reg, c, s, False, out)


def test_an_ordinary_call_is_plain_and_any_other_is_refused_without_a_word(monkeypatch):
    made, out = plain(), np.zeros((R, N, K, D))
    assert plain(out=out) is out
    assert np.array_equal(made, out)
    for number in (0.5, np.float64(0.5)):
        assert np.array_equal(plain(reg=number), made)
    assert np.array_equal(plain(reg=0), plain(reg=0.0))
    for _, change, _ in [(0, *case) for case in VALUES + KINDS]:
        assert plain(**change) is None, change
    for change in ({"reg": None}, {"reg": 1}, {"c": np.ones((N, N))}, {"out": out[0]}):
        assert plain(**change) is None, change
    assert plain(prob=np.ones((R, N, M, C))) is None
    monkeypatch.setattr(_core, "glm_hvp", None)  # which takes what is not plain
    assert np.array_equal(glm_hvp(**good(), reg=0.5), made)


def test_memory_that_is_mapped_or_swapped_is_no_plain_call(tmp_path):
    mapped = np.memmap(tmp_path / "A", np.float64, "w+", shape=(N, M, D))
    mapped[...] = 1
    swapped = np.ones((N, M, D), np.dtype(np.float64).newbyteorder())
    assert plain(A=mapped) is None
    assert plain(A=swapped) is None
    assert np.array_equal(glm_hvp(**(good() | {"A": mapped})), glm_hvp(**good()))
    with pytest.raises(TypeError, match=r"^glm_hvp: A has dtype >f8"):
        glm_hvp(**(good() | {"A": swapped}))


def test_the_compiled_module_guards_its_memory():
    A, h, V, none = np.ones((1, 2, 3)), np.ones((1, 2)), np.ones((1, 1, 3)), np.empty(0)
    flags = [False] * 4

    def call(shape, A=A, V=V, c=none, s=none):
        _core.glm_hvp("here", shape, flags, A, h, none, V, 0.0, c, s, False, np.empty(3))

    call([1, 1, 2, 3, 0, 1])
    with pytest.raises(ValueError, match="_core: A has 6 entries; need 8"):
        call([1, 1, 2, 4, 0, 1])
    with pytest.raises(ValueError, match="_core: prob has 0 entries; need 4"):
        call([1, 1, 2, 3, 2, 1])
    with pytest.raises(ValueError, match="_core: s has 0 entries; need 1"):
        call([1, 1, 2, 3, 0, 1], c=np.ones(1))
    with pytest.raises(ValueError, match="_core: glm_hvp has a negative size"):
        call([1, 1, -2, 3, 0, 1])
    with pytest.raises(TypeError, match="incompatible function arguments"):
        call([1, 1, 2, 3, 0, 1], A=A.astype(np.float32))
