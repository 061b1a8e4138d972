"""Section 3.1: a ring without self-loops has no q < 1, and one more link gives it one."""

import numpy as np

from theorylab.statements.dfedpgp.sec31 import STATEMENT


def test_the_verdicts(judged):
    assert {version for version, _ in judged(STATEMENT)} == {"printed"}


def test_the_ring_and_the_chord_by_their_eigenvalues():
    ring = np.roll(np.eye(3), 1, axis=0)
    chord = ring.copy()
    chord[:, 0] = [0, 0.5, 0.5]
    second = [np.sort(np.abs(np.linalg.eigvals(P)))[-2] for P in (ring, chord)]
    assert abs(second[0] - 1) < 1e-12
    assert second[1] < 0.8


def test_a_bound_without_the_start_and_the_gradients_is_refuted(missed):
    (term,) = STATEMENT.versions["printed"].terms.values()
    assert missed(STATEMENT, "printed", {"1e-4": {"consensus": term / 10**4}}) == set()
