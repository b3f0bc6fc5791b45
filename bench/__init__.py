"""Measurements: the engine against its peers, its methods against each other, and against chance.

- `python -m bench.maskbench DATA.jsonl --peers llguidance xgrammar outlines-core`: right and fast?
- `python -m bench.suite FOLDER`: the JSON-Schema-Test-Suite, keyword by keyword
- `python -m bench.ladder DATA.jsonl`: what each step from replay to the cached mask saves
- `python -m bench.fuzz --runs N`: random schemas, models and vocabularies, judged by jsonschema
- `python -m bench.widget`: how fast the simulator answers, and how much it sends

The peers are optional: `pip install ".[peers]"`.
"""
