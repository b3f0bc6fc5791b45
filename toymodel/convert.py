"""GGUF to safetensors, once: reading GGUF takes 17 seconds, reading safetensors one.

The weights are stored in bfloat16: they came from 4 bits, so nothing is lost that matters, and the
file is half as large as in float32 (269 MB).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


def convert(gguf: Path, folder: Path, progress: bool = True) -> None:
    """Write the model and its tokenizer from `gguf` into the new folder `folder`."""
    import torch
    import transformers

    if progress:
        print("converting the weights (once, about 20 seconds)", flush=True)
    with quiet(bars=progress):
        tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        loaded = transformers.AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, dtype=torch.float32
        )
    # save_pretrained refuses a model that came from GGUF: give its weights to a fresh one
    fresh = transformers.LlamaForCausalLM(loaded.config)
    fresh.load_state_dict(loaded.state_dict())
    fresh.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    for path in folder.iterdir():
        path.chmod(0o644)  # safetensors writes for its owner alone, and a class shares one folder


@contextlib.contextmanager
def quiet(bars: bool = False) -> Iterator[None]:
    """No warnings from transformers within this block, and its progress bars only if `bars`."""
    from transformers.utils import logging

    level, shown = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    if not bars:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if shown:
            logging.enable_progress_bar()
