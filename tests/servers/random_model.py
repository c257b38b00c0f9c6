"""A language model of random weights in a GGUF file: a real server loads it in a moment, and it talks nonsense."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

WIDTH, INNER, CONTEXT = 16, 32, 65_536
SPECIAL = ("<unk>", "<s>", "</s>")
END = SPECIAL.index("</s>")
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
HANZI = [chr(code) for code in range(0x4E00, 0x9FA6)]
SIGNS = ["▁", *"，。！？、：；“”《》（）", *(chr(code) for code in range(33, 127))]
TOKENS = [*SPECIAL, *BYTES, *HANZI, *SIGNS]
# Tokens that it says more often: so its sentences, strings and turns come to an end.
ENDINGS = (END, TOKENS.index('"'), TOKENS.index("。"))
LOUDER = 3


def write_model(path: Path, seed: int = 0) -> Path:
    """Write a model of one layer whose tokens are bytes and Chinese characters, and return its file."""
    writer = import_module("gguf").GGUFWriter(path, "llama")
    describe(writer)
    for name, tensor in tensors(np.random.default_rng(seed)).items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def describe(writer: Any) -> None:
    """Give the sizes and the tokens."""
    kinds = import_module("gguf").TokenType
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_block_count(1)
    writer.add_head_count(1)
    writer.add_rope_dimension_count(WIDTH)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("llama")
    writer.add_add_space_prefix(False)
    writer.add_token_list([token.encode() for token in TOKENS])
    writer.add_token_scores([0.0] * len(TOKENS))
    writer.add_token_types(kinds_of(kinds))
    writer.add_unk_token_id(SPECIAL.index("<unk>"))
    writer.add_bos_token_id(SPECIAL.index("<s>"))
    writer.add_eos_token_id(END)


def kinds_of(kinds: Any) -> Sequence[int]:
    """Return the kind of each token."""
    special = [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL]
    return [*special, *[kinds.BYTE] * len(BYTES), *[kinds.NORMAL] * (len(HANZI) + len(SIGNS))]


def tensors(random: np.random.Generator) -> dict[str, np.ndarray[Any, Any]]:
    """Return the weights by name."""
    shapes = dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (WIDTH, WIDTH))
    shapes |= {"ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER)}
    drawn = {f"blk.0.{name}.weight": random.standard_normal(shape) for name, shape in shapes.items()}
    drawn |= {name: random.standard_normal((len(TOKENS), WIDTH)) for name in ("token_embd.weight", "output.weight")}
    drawn["output.weight"][list(ENDINGS)] *= LOUDER
    norms = dict.fromkeys(("output_norm.weight", "blk.0.attn_norm.weight", "blk.0.ffn_norm.weight"), np.ones(WIDTH))
    return {name: weights.astype(np.float32) for name, weights in {**drawn, **norms}.items()}
