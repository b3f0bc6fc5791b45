"""GGUF to safetensors, once: reading GGUF takes 17 seconds, reading safetensors one.

The weights are stored in bfloat16: they came from 4 bits, so nothing is lost that matters, and the
file is half as large as in float32 (269 MB).
"""

from __future__ import annotations

from pathlib import Path


def convert(gguf: Path, folder: Path, progress: bool = True) -> None:
    """Write the model and its tokenizer from `gguf` into the new folder `folder`."""
    import torch
    import transformers

    if progress:
        print("converting the weights (once, about 20 seconds)", flush=True)
    with quiet():
        tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        loaded = transformers.AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, dtype=torch.float32
        )
    # save_pretrained refuses a model that came from GGUF: give its weights to a fresh one
    fresh = transformers.LlamaForCausalLM(loaded.config)
    fresh.load_state_dict(loaded.state_dict())
    fresh.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


class quiet:
    """No warnings from transformers within this block; its progress bars stay."""

    def __enter__(self) -> None:
        from transformers.utils import logging

        self.logging, self.level = logging, logging.get_verbosity()
        logging.set_verbosity_error()

    def __exit__(self, *_) -> None:
        self.logging.set_verbosity(self.level)
