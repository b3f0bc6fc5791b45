"""The real small model: its cache agrees with reading everything afresh, and it can go back."""

import numpy as np
import pytest

from toymodel import SmallModel, folders

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def model():
    pytest.importorskip("torch")
    return SmallModel.load()


TEXT = "The capital of France is Paris, and it has"


def fresh(model, ids):
    model.reset()
    return model.extend(ids)


def test_the_converted_files_are_whole():
    assert folders.problem(folders.model_folder(), thorough=True) is None


def test_it_has_the_vocabulary_of_its_logits(model):
    assert model.vocabulary.size == 49_152
    assert fresh(model, model.encode("Hello")).shape == (49_152,)
    assert model.tokenizer.eos_token_id in model.vocabulary.eos_ids


def test_it_knows_something(model):
    logits = fresh(model, model.encode("The capital of France is"))
    assert model.vocabulary.tokens[int(logits.argmax())] == b" Paris"


def test_one_pass_over_many_tokens_equals_many_passes_over_one(model):
    ids = model.encode(TEXT)
    at_once = fresh(model, ids)
    model.reset()
    for token in ids:
        one_by_one = model.extend([token])
    assert np.abs(at_once - one_by_one).max() < 0.01


def test_truncate_goes_back(model):
    ids = model.encode(TEXT)
    wanted = fresh(model, ids[:5])
    fresh(model, ids)
    model.truncate(4)
    assert model.context == ids[:4]
    assert np.abs(model.extend(ids[4:5]) - wanted).max() < 0.01


def test_truncate_to_nothing_is_a_reset(model):
    ids = model.encode(TEXT)
    wanted = fresh(model, ids[:2])
    fresh(model, ids)
    model.truncate(0)
    assert np.abs(model.extend(ids[:2]) - wanted).max() < 0.01


def test_a_cache_that_cannot_be_cut_is_read_again(model, monkeypatch):
    ids = model.encode(TEXT)
    wanted = fresh(model, ids[:5])
    fresh(model, ids)
    monkeypatch.setattr(model, "_crop", lambda n: False)
    model.truncate(4)
    assert np.abs(model.extend(ids[4:5]) - wanted).max() < 0.01


def test_an_empty_context_has_logits_and_one_can_go_on_from_it(model):
    model.reset()
    assert model.extend([]).shape == (49_152,)
    assert (model.extend([]) == model.extend([])).all()
    wanted = model.extend(model.encode("Hello there"))
    model.truncate(1)
    assert np.abs(model.extend(model.encode("Hello there")[1:]) - wanted).max() < 0.01


def test_extend_by_nothing_after_truncate_is_an_error(model):
    fresh(model, model.encode(TEXT))
    model.truncate(3)
    with pytest.raises(ValueError, match="at least one token"):
        model.extend([])


@pytest.mark.parametrize("text", ['{"a": "b"}', "  naïve 北京 🙂\n", "<|im_end|> is text here"])
def test_encode_spells_exactly_the_text(model, text):
    ids = model.encode(text)
    assert b"".join(model.vocabulary.tokens[i] for i in ids).decode() == text
    assert not set(ids) & {*model.vocabulary.special_ids, *model.vocabulary.eos_ids}


def test_the_prompt_is_in_the_chat_template(model):
    text = model.tokenizer.decode(model.prompt_ids("Hello", system="Be brief."))
    assert text == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_any_causal_model_loads_by_path(model, tmp_path):
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(vocab_size=49_200, n_embd=16, n_layer=1, n_head=2, n_positions=64)
    GPT2LMHeadModel(config).save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    other = SmallModel.load(tmp_path)
    assert other.vocabulary.size == 49_152
    ids = model.encode(TEXT)
    wanted = other.extend(ids)
    assert wanted.shape == (49_152,)  # its logits were padded to 49,200
    other.truncate(3)
    assert np.abs(other.extend(ids[3:]) - wanted).max() < 0.01
