"""The corrected steps and what they add up to: by hand, and by floats written anew."""

import math

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt._descent import V_STEP, u_step, whole
from theorylab.symbols import T, n, rho

AT = {
    s.eta_u: 0.05, s.eta_v: 0.03, s.K_u: 3, s.K_v: 2, s.L_u: 2, s.L_v: 4, s.L_vu: 5, s.sigma_u: 6,
    s.sigma_v: 7, s.delta: 8, s.lam: 0.5, s.Delta_u: 9, s.Delta_v: 10, s.spread: 11, n: 4, rho: 3,
    s.L_sample: 7, s.F_start: 9, s.F_star: 4, T: 10, s.start_spread: 12,
}  # fmt: skip
x, w, h, j, R = 0.3, 0.24, 2 / 3, 1 / 2, 21.0
A, A_v, root = 1.1**4, 1.12**2, math.sqrt(2 / 3)
B = (1 + 2 * root) * A
BOTH = pytest.mark.parametrize("sam", [False, True])


def u_gain(sam):
    return (1 - (1 + sam) * B * root * (1 + h) * x**2 / 6) / 2


def rest(sam):
    late = 1 if sam else h**2
    made = {
        "drift": (1 + sam) * B * root / 4 * 0.15 * x**2 * ((1 + h) / 3 * 64 + 36 / 3),
        "u noise": 2 * 0.0025 * 3 * 36 / 8 * (1 + late * x / (1 - x)),
    }
    return {**made, "sharpness": A * 0.15 * R**2} if sam else made


V_GAIN = (1 - A_v * w**2 * j * (1 + j) / 3) / 2
V_NOISE = 4 * 0.0009 * 2 * 49 / 2 * (1 + j**2 * w / (0.5 - w) + A_v * j * w)


def compared(terms, by_hand):
    found = {name: float(evaluate(term, AT)) for name, term in terms.items()}
    assert found == pytest.approx(by_hand, rel=1e-13)


@BOTH
def test_the_step_of_the_shared_part(sam):
    own = {
        "u gain": -u_gain(sam) * 0.15 * 9,
        "u apart": (1 + sam) * B / 2 * 0.15 * 4 * 11,
    }
    compared(u_step(sam), own | rest(sam))


def test_the_step_of_the_heads():
    compared(V_STEP, {"v gain": -V_GAIN * 0.06 * 10, "v noise": V_NOISE, "v apart": 0.06 * 25 * 11})


@BOTH
def test_all_rounds(sam):
    q = 0.5 * 1.1**3
    push = 0.05 * (3 * (8 + R * sam) + math.sqrt(3 * 3 / 4) * 6)
    through = (1 + sam) * B / 2 * 0.15 * 4 + 0.06 * 25
    sums = {
        "start": 5 / 10,
        **rest(sam),
        "v noise": V_NOISE,
        "consensus": through * (q / (1 - q) * push) ** 2,
        "start apart": through * 12 / (10 * (1 - q)),
    }
    least = min(u_gain(sam), V_GAIN)
    compared(whole(sam), {name: value / least for name, value in sums.items()})


@BOTH
@pytest.mark.parametrize("K", [1, 2, 5, 1000])
def test_a_gain_is_left_at_the_caps(sam, K):
    caps = {s.eta_u: 1 / ((2 + sam) * K * 2), s.eta_v: 1 / (16 * K), s.K_u: K, s.K_v: K}
    at = {**AT, **caps}
    for terms, name, weight in ((u_step(sam), "u gain", 9), (V_STEP, "v gain", 10)):
        eta, steps = (
            at[symbol] for symbol in ((s.eta_u, s.K_u) if weight == 9 else (s.eta_v, s.K_v))
        )
        assert 0.15 < -float(evaluate(terms[name], at)) / (eta * steps * weight) <= 0.5


def test_one_local_step_drifts_nowhere():
    one = {**AT, s.K_u: 1}
    found = u_step(sam=False)
    assert float(evaluate(found["drift"], one)) == 0
    assert float(evaluate(found["u gain"], one)) == -0.5 * 0.05 * 9
    assert float(evaluate(found["u apart"], one)) == 0.5 * 0.05 * 4 * 11
