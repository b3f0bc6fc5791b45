"""GrammarLogitsProcessor in `model.generate`: batches, padding, beams, several runs."""

import json

import jsonschema
import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tokenmask import GrammarCompiler, Vocabulary  # noqa: E402
from tokenmask.transformers import GrammarLogitsProcessor  # noqa: E402
from toymodel import SmallModel  # noqa: E402

TOKENS = [*'{}":, abc12', '{"a": ', '{"b": ', "true", "false", ', "', "<end>", "<pad>"]
END, PAD = len(TOKENS) - 2, len(TOKENS) - 1
VOCABULARY = Vocabulary([t.encode() for t in TOKENS], eos_ids=[END], special_ids=[PAD])
WIDTH = 40  # a model's logits are wider than its vocabulary
A = {
    "type": "object",
    "properties": {"a": {"type": "string", "maxLength": 4}},
    "required": ["a"],
    "additionalProperties": False,
}
B = {
    "type": "object",
    "properties": {"b": {"type": "boolean"}, "c": {"enum": [1, 2, 12]}},
    "required": ["b", "c"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=WIDTH,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        pad_token_id=PAD,
        eos_token_id=END,
        bos_token_id=None,
    )
    return transformers.LlamaForCausalLM(config).eval()


@pytest.fixture(scope="module")
def grammars():
    compiler = GrammarCompiler(VOCABULARY)
    return [compiler.compile_json_schema(schema) for schema in (A, B)]


def batch(*prompts):
    """Prompts of different lengths, padded on the left."""
    longest = max(map(len, prompts))
    ids = [[PAD] * (longest - len(p)) + list(p) for p in prompts]
    mask = [[0] * (longest - len(p)) + [1] * len(p) for p in prompts]
    return {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask)}


def answers(model, processor, inputs, **options):
    torch.manual_seed(options.pop("seed", 0))
    options = {"max_new_tokens": 40, **options}
    out = model.generate(**inputs, logits_processor=[processor], **options)
    texts = []
    for row in out[:, inputs["input_ids"].shape[1] :].tolist():
        assert END in row, row
        answer, padding = row[: row.index(END)], row[row.index(END) + 1 :]
        assert set(padding) <= {PAD}
        texts.append(b"".join(VOCABULARY.tokens[i] for i in answer).decode())
    return texts


def valid(text, schema):
    return jsonschema.Draft202012Validator(schema).is_valid(json.loads(text))


@pytest.mark.parametrize("seed", range(5))
def test_each_row_has_its_own_grammar_and_its_own_state(model, grammars, seed):
    processor = GrammarLogitsProcessor(grammars)
    inputs = batch([5, 6, 7], [8])
    texts = answers(model, processor, inputs, do_sample=True, seed=seed)
    assert valid(texts[0], A) and valid(texts[1], B)


def test_one_grammar_for_all_rows(model, grammars):
    processor = GrammarLogitsProcessor(grammars[1])
    inputs = batch([5, 6, 7], [8], [9, 1])
    texts = answers(model, processor, inputs, do_sample=True, top_k=50)
    assert len(texts) == 3 and all(valid(text, B) for text in texts)


def test_left_padding_and_the_prompt_are_not_part_of_the_answer(model, grammars):
    greedy = {"do_sample": False}
    together = answers(model, GrammarLogitsProcessor(grammars), batch([5, 6, 7], [8]), **greedy)
    alone = answers(model, GrammarLogitsProcessor(grammars[1]), batch([8]), **greedy)
    assert together[1] == alone[0]


def test_several_sequences_of_one_prompt(model, grammars):
    processor = GrammarLogitsProcessor(grammars)
    inputs = batch([5, 6, 7], [8])
    texts = answers(model, processor, inputs, do_sample=True, num_return_sequences=3)
    assert all(valid(text, A) for text in texts[:3]) and all(valid(text, B) for text in texts[3:])


def test_beams_are_followed_when_they_change_places(model, grammars):
    processor = GrammarLogitsProcessor(grammars)
    texts = answers(model, processor, batch([5, 6, 7], [8]), num_beams=4, do_sample=False)
    assert valid(texts[0], A) and valid(texts[1], B)


def test_a_second_run_starts_afresh(model, grammars):
    processor = GrammarLogitsProcessor(grammars[1])
    for prompt in ([5], [5], [6, 7], [5, 1]):
        assert valid(answers(model, processor, batch(prompt), do_sample=True)[0], B)


def test_reset_takes_an_answer_for_a_prompt(grammars):
    processor = GrammarLogitsProcessor(grammars[1])
    first = processor(torch.tensor([[5]]), torch.zeros(1, WIDTH))
    token = int(first[0].isfinite().nonzero()[0])
    longer = torch.tensor([[5, token]])
    processor.reset()
    assert torch.equal(processor(longer, torch.zeros(1, WIDTH)), first)


def test_scores_outside_the_vocabulary_and_of_special_tokens_are_masked(grammars):
    scores = torch.zeros(1, WIDTH)
    masked = GrammarLogitsProcessor(grammars[0])(torch.tensor([[5]]), scores)
    assert torch.isneginf(masked[0, END:]).all()
    assert masked[0].isfinite().nonzero().flatten().tolist() == [0, TOKENS.index('{"a": ')]
    assert (scores == 0).all(), "the caller's scores are left alone"


def test_an_ended_row_keeps_its_scores(grammars):
    processor = GrammarLogitsProcessor(grammars[1])
    ids = [TOKENS.index(t) for t in ('{"b": ', "true", ', "', "c", '"', ":", " ", "1", "}", "<end>")]
    history = [5]
    for token in [*ids, PAD]:
        masked = processor(torch.tensor([history]), torch.zeros(1, WIDTH))
        assert torch.isneginf(masked).any()
        history.append(token)
        if token == END:
            break
    assert (processor(torch.tensor([history]), torch.zeros(1, WIDTH)) == 0).all()
    assert (processor(torch.tensor([[*history, PAD]]), torch.zeros(1, WIDTH)) == 0).all()


def test_a_token_forced_by_another_processor_is_an_error(grammars):
    processor = GrammarLogitsProcessor(grammars[1])
    processor(torch.tensor([[5]]), torch.zeros(1, WIDTH))
    with pytest.raises(ValueError, match="another logits processor"):
        processor(torch.tensor([[5, 1]]), torch.zeros(1, WIDTH))


def test_no_end_token_is_a_clear_error():
    vocabulary = Vocabulary([b"true", b"false"], eos_ids=())
    compiled = GrammarCompiler(vocabulary).compile_json_schema({"type": "boolean"})
    processor = GrammarLogitsProcessor(compiled)
    processor(torch.tensor([[0]]), torch.zeros(1, 2))
    with pytest.raises(ValueError, match="no end-of-sequence token"):
        processor(torch.tensor([[0, 1]]), torch.zeros(1, 2))


def test_grammars_must_fit_the_batch_and_each_other(grammars):
    with pytest.raises(ValueError, match="2 grammars do not fit a batch of 3 rows"):
        GrammarLogitsProcessor(grammars)(torch.zeros((3, 1), dtype=torch.long), torch.zeros(3, WIDTH))
    with pytest.raises(ValueError, match="at least one grammar"):
        GrammarLogitsProcessor([])
    other = Vocabulary(VOCABULARY.tokens, [END], [PAD])
    stranger = GrammarCompiler(other).compile_json_schema(A)
    with pytest.raises(ValueError, match="one Vocabulary"):
        GrammarLogitsProcessor([grammars[0], stranger])


@pytest.mark.model
def test_the_small_model_in_a_batch():
    small = SmallModel.load()
    compiler = GrammarCompiler(small.vocabulary)
    schemas = [
        {
            "type": "object",
            "properties": {"city": {"type": "string", "maxLength": 20}},
            "required": ["city"],
            "additionalProperties": False,
        },
        {"enum": ["yes", "no"]},
    ]
    processor = GrammarLogitsProcessor([compiler.compile_json_schema(s) for s in schemas])
    tokenizer = small.tokenizer
    tokenizer.padding_side = "left"
    prompts = ["Name the capital of France as JSON.", "Is it raining? Answer in JSON."]
    texts = [
        tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
        )
        for prompt in prompts
    ]
    inputs = tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False)
    out = small.model.generate(**inputs, logits_processor=[processor], max_new_tokens=24, do_sample=False)
    start = inputs["input_ids"].shape[1]
    values = [json.loads(tokenizer.decode(row[start:], skip_special_tokens=True)) for row in out]
    assert values[0]["city"] == "Paris"
    assert values[1] in ("yes", "no")
    assert np.shape(values) == (2,)
