import math

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.stats import binom, chi2

from theorylab import _core
from theorylab.kernels import Stream, get_threads, set_threads

ONES = 0xFFFFFFFF


def philox_by_the_paper(counter, key):
    """Philox4x32-10 with Python integers: Salmon et al. 2011, section 3.3."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & ONES, (a >> 32) ^ c[3] ^ k[1], a & ONES]
        k = [(k[0] + 0x9E3779B9) & ONES, (k[1] + 0xBB67AE85) & ONES]
    return tuple(c)


def word(seed, purpose, run, client, round, step, index):
    """The 64 bits behind one draw, as the docstring of Stream defines them."""
    key = philox_by_the_paper((purpose, step, 0, 0), (seed & ONES, seed >> 32))[:2]
    block = philox_by_the_paper((index // 2, round, client, run), key)
    half = block[2 * (index % 2) :]
    return half[0] | half[1] << 32


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [  # Random123, kat_vectors, philox4x32 10
        ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ONES,) * 4, (ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_the_published_vectors(counter, key, words):
    assert _core.philox(counter, key) == words == philox_by_the_paper(counter, key)


def test_every_draw_is_the_documented_function_of_its_counter():
    seed, round, step = 2**63 + 12345678901, 2**32 - 1, 77
    runs, clients = np.array([0, 5, 2**32 - 1]), np.array([3, 2**31])
    bound = np.array([7, 2**62 + 1])
    stream = Stream(seed, "sample")
    uniform = stream.uniform(runs, clients, round, step, 5)
    integers = stream.integers(bound, runs, clients, round, step, 5)
    assert uniform.shape == integers.shape == (3, 2, 5)
    assert integers.dtype == np.int64
    for r, run in enumerate(runs.tolist()):
        for i, client in enumerate(clients.tolist()):
            for m in range(5):
                b = word(seed, 2, run, client, round, step, m)
                assert uniform[r, i, m] == math.ldexp(b >> 11, -53)
                assert integers[r, i, m] == b * int(bound[i]) >> 64


def normal_is_close(got, bits):
    # AS 241 states about 1 part in 1e16; its 7 Horner steps, log, sqrt and quotient add at most
    # an ulp each: 16 units of 2**-53, relative.
    with mp.workdps(40):
        p = (mpf(bits >> 12) + mpf(1) / 2) / 2**52
        exact = mp.sqrt(2) * mp.erfinv(2 * p - 1)
        return abs(mpf(got) - exact) <= 16 * mpf(2) ** -53 * abs(exact)


def test_normals_are_the_normal_quantile_of_their_own_bits():
    drawn = Stream(9, "noise").normal(1, 1, 3, 0, 4000)[0, 0]
    for m in [*range(600), *np.argsort(abs(drawn))[-300:].tolist()]:
        assert normal_is_close(drawn[m], word(9, 1, 0, 0, 3, 0, m))


def test_normals_are_close_in_the_far_tail_and_at_every_seam_of_the_formula():
    seams = [0.075, 0.925, math.exp(-25), 0.5, 2**-53, 1e-3, 0.25, 2**-40, 2**-30, 2**-20]
    for cell in [0, 1, 2, 2**52 - 1, *(int(p * 2**52) for p in seams)]:
        for near in range(max(cell - 2, 0), min(cell + 3, 2**52)):
            assert normal_is_close(_core.normal(near << 12), near << 12)
            mirrored = (2**52 - 1 - near) << 12
            assert _core.normal(mirrored) == -_core.normal(near << 12)


def test_normals_beyond_every_quantile_are_as_many_as_they_should_be():
    drawn, size = np.sort(Stream(10, "noise").normal(1, 1, 0, 0, 10**6)[0, 0]), 10**6
    for q in (1e-5, 1e-3, 0.1, 0.5, 0.9, 0.999):
        below = np.searchsorted(drawn, math.sqrt(2) * float(mp.erfinv(2 * q - 1)))
        # exact binomial limits, one failure in 10**9
        assert binom.ppf(5e-10, size, q) <= below <= binom.ppf(1 - 5e-10, size, q)


def test_a_batch_draws_what_its_runs_and_its_clients_draw():
    stream = Stream(4, "topology")
    whole = stream.normal(4, 6, 11, 2, 3)
    for r in range(4):
        assert np.array_equal(stream.normal(np.array([r]), 6, 11, 2, 3)[0], whole[r])
    some = np.array([5, 0, 3])
    assert np.array_equal(stream.normal(4, some, 11, 2, 3), whole[:, some])
    assert np.array_equal(stream.normal(4, 6, 11, 2, 2), whole[:, :, :2])


def test_any_change_of_seed_purpose_run_client_round_or_step_changes_every_value():
    def draw(seed=1, purpose="noise", run=2, client=3, round=4, step=5):
        ids = np.array([run]), np.array([client])
        return Stream(seed, purpose).uniform(*ids, round, step, 8).ravel()

    others = [{"seed": 1 + 2**32}, {"purpose": "sample"}, {"run": 3}, {"client": 2}]
    others += [{"round": 5}, {"step": 4}, {"round": 5, "step": 4}, {"run": 3, "client": 2}]
    drawn = [draw(), *[draw(**change) for change in others]]
    assert len({value for values in drawn for value in values.tolist()}) == 8 * len(drawn)


def test_bits_agree_for_every_instruction_set_and_number_of_threads():
    stream, before, isa = Stream(8, "init"), get_threads(), _core.isa()
    seen = set()
    try:
        for name in _core.usable_isas().split(", "):
            _core.use_isa(name)
            for threads in (1, 2, 3, 8):
                set_threads(threads)
                draws = (stream.normal(3, 17, 1, 0, 501), stream.uniform(3, 17, 1, 0, 501))
                seen.add(b"".join(d.tobytes() for d in draws))
    finally:
        _core.use_isa(isa)
        set_threads(before)
    assert len(seen) == 1


def test_uniforms_fill_equal_cells_equally():
    counts = np.histogram(Stream(1, "noise").uniform(4, 50, 9, 0, 1000), 100, (0, 1))[0]
    assert chi_square_is_central(counts, np.full(100, 2000.0))


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 97])
def test_integers_are_unbiased(bound):
    drawn = Stream(bound, "sample").integers(bound, 4, 50, 9, 0, 500)
    assert drawn.min() >= 0
    assert drawn.max() < bound
    counts = np.bincount(drawn.ravel(), minlength=bound)
    assert bound == 1 or chi_square_is_central(counts, np.full(bound, 1e5 / bound))


def test_integers_of_a_huge_bound_fill_its_upper_third_too():
    # a 63-bit modulo of 64 bits, or 32-bit words, would fail: the limits are exact binomial
    drawn = Stream(3, "sample").integers(3 * 2**61, 1, 1, 0, 0, 30000)
    upper = int((drawn >= 2**62).sum())
    assert binom.ppf(5e-10, 30000, 1 / 3) <= upper <= binom.ppf(1 - 5e-10, 30000, 1 / 3)


def chi_square_is_central(counts, expected):
    """Both tails at one failure in 10**9: too even is as wrong as too uneven."""
    statistic = float(((counts - expected) ** 2 / expected).sum())
    freedom = len(counts) - 1
    return chi2.ppf(5e-10, freedom) <= statistic <= chi2.ppf(1 - 5e-10, freedom)


def test_normals_have_the_moments_of_the_normal():
    z = Stream(2, "noise").normal(10, 100, 0, 0, 1000)
    n = z.size  # standard errors of the mean, variance and 4th moment, 7 of them: 3e-12 two-sided
    assert abs(z.mean()) <= 7 / math.sqrt(n)
    assert abs((z**2).mean() - 1) <= 7 * math.sqrt(2 / n)
    assert abs((z**4).mean() - 3) <= 7 * math.sqrt(96 / n)
    assert abs((z[..., 1:] * z[..., :-1]).mean()) <= 7 / math.sqrt(n * 0.999)
    assert abs((z[1:] * z[:-1]).mean()) <= 7 / math.sqrt(n * 0.9)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Stream(-1, "noise"), ValueError, r"seed is -1; need 0 <= seed < 2\*\*64"),
        (lambda: Stream(2**64, "noise"), ValueError, "seed is 18446744073709551616"),
        (lambda: Stream(1.5, "noise"), TypeError, "seed is 1.5; need an int"),
        (lambda: Stream(True, "noise"), TypeError, "seed is True; need an int"),
        (lambda: Stream(1, "nose"), ValueError, "purpose 'nose' came; need one of noise, sample"),
        (lambda: S.uniform(1, 1, 2**32), ValueError, r"round is 4294967296; .* < 2\*\*32"),
        (lambda: S.normal(1, 1, 0, -1), ValueError, "step is -1"),
        (lambda: S.normal(1, 1, 0, 0, -1), ValueError, "count is -1"),
        (lambda: S.uniform(np.array([2**32]), 1, 0), ValueError, "runs has id 4294967296"),
        (lambda: S.uniform(1, np.array([-2]), 0), ValueError, "clients has id -2"),
        (lambda: S.uniform(1, np.array([0.5]), 0), TypeError, "clients has dtype float64"),
        (lambda: S.uniform(1, np.zeros((1, 1), int), 0), ValueError, r"clients has shape \(1, 1\)"),
        (lambda: S.integers(0, 1, 1, 0), ValueError, "bound is 0; need 1 <= bound"),
        (lambda: S.integers(2**63, 1, 1, 0), ValueError, "bound is 9223372036854775808"),
        (lambda: S.integers(np.array([3, 0]), 1, 2, 0), ValueError, "bound has 0; need 1"),
        (lambda: S.integers(np.array([3]), 1, 2, 0), ValueError, "clients fixed n=2"),
    ],
)
def test_bad_input_is_named_in_one_line(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


S = Stream(1, "noise")
