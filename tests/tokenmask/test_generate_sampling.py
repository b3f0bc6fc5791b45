"""Temperature, top-k and top-p, drawn from probabilities that the mask has already shaped."""

import numpy as np
import pytest

from tokenmask.sampling import Sampling, softmax, top

LOGITS = np.log(np.array([0.5, 0.25, 0.125, 0.0625, 0.0625], dtype=np.float32))


def shares(sampling: Sampling, logits=LOGITS, n=4000) -> np.ndarray:
    random = np.random.default_rng(0)
    probabilities = sampling.probabilities(logits)
    drawn = [sampling.choose(probabilities, random) for _ in range(n)]
    return np.bincount(drawn, minlength=len(logits)) / n


def test_temperature_1_samples_the_distribution():
    assert shares(Sampling()) == pytest.approx([0.5, 0.25, 0.125, 0.0625, 0.0625], abs=0.03)


def test_temperature_0_takes_the_likeliest():
    assert shares(Sampling(temperature=0), n=20).tolist() == [1, 0, 0, 0, 0]


def test_a_tiny_temperature_does_not_overflow():
    assert shares(Sampling(temperature=1e-9), n=20).tolist() == [1, 0, 0, 0, 0]


def test_a_high_temperature_flattens():
    assert shares(Sampling(temperature=100)) == pytest.approx(np.full(5, 0.2), abs=0.03)


def test_top_k_keeps_the_k_likeliest():
    assert shares(Sampling(top_k=2)) == pytest.approx([2 / 3, 1 / 3, 0, 0, 0], abs=0.03)


def test_top_k_breaks_ties_by_id():
    assert shares(Sampling(top_k=4))[4] == 0


def test_top_p_keeps_the_fewest_that_reach_p():
    assert shares(Sampling(top_p=0.5)).tolist() == [1, 0, 0, 0, 0]
    assert shares(Sampling(top_p=0.51)) == pytest.approx([2 / 3, 1 / 3, 0, 0, 0], abs=0.03)
    assert (shares(Sampling(top_p=1.0)) > 0).all()


def test_top_p_after_top_k_counts_the_rest_as_the_whole():
    # of 0.5, 0.25, 0.125 (together 0.875) the first is 0.57
    assert shares(Sampling(top_k=3, top_p=0.57)).tolist() == [1, 0, 0, 0, 0]
    assert shares(Sampling(top_k=3, top_p=0.58))[1] > 0


def test_a_masked_token_is_never_drawn():
    masked = LOGITS.copy()
    masked[[0, 3]] = -np.inf
    for sampling in (Sampling(), Sampling(0), Sampling(50), Sampling(top_k=5), Sampling(top_p=0.99)):
        drawn = shares(sampling, masked, n=500)
        assert drawn[0] == drawn[3] == 0


def test_the_ratio_of_two_legal_tokens_is_untouched():
    masked = LOGITS.copy()
    masked[0] = -np.inf
    before, after = softmax(LOGITS), softmax(masked)
    assert after[1] / after[2] == pytest.approx(before[1] / before[2])


@pytest.mark.parametrize("value", [-np.inf, np.nan, np.inf])
def test_nothing_to_choose_from_is_an_error_never_a_silent_argmax(value):
    with pytest.raises(ValueError, match="no token is left"):
        softmax(np.full(4, value))


def test_top_is_sorted_and_leaves_out_what_cannot_come():
    assert top(np.array([0.2, 0.0, 0.5, 0.3]), 10) == [(2, 0.5), (3, 0.3), (0, 0.2)]
    assert top(np.array([0.25, 0.25, 0.5]), 2) == [(2, 0.5), (0, 0.25)]
