"""Makes a speech model with random weights in the real format, in a second.

Its text is meaningless, but it runs every step of a real model and returns times.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

WIDTH, HEADS, LAYERS, MELS = 64, 1, 1, 80
AUDIO_CONTEXT, TEXT_CONTEXT = 1500, 448
SPECIAL = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|translate|>", "<|transcribe|>",
           "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]  # fmt: skip
TIMES = [f"<|{step / 50:.2f}|>" for step in range(1501)]


def make_model(folder: Path) -> Path:
    from ctranslate2.specs import WhisperSpec  # noqa: PLC0415 - an optional extra

    folder.mkdir(parents=True, exist_ok=True)
    words = _write_tokenizer(folder)
    spec = WhisperSpec(LAYERS, HEADS, LAYERS, HEADS)
    random = np.random.default_rng(6)
    _fill_encoder(spec.encoder, random)
    _fill_decoder(spec.decoder, random, len(words))
    spec.config.suppress_ids = []
    spec.config.suppress_ids_begin = []
    spec.config.alignment_heads = [[0, 0]]
    spec.config.lang_ids = [words.index("<|en|>")]
    spec.register_vocabulary(words)
    spec.validate()
    spec.save(str(folder))
    (folder / "preprocessor_config.json").write_text(json.dumps({"feature_size": MELS}))
    return folder


def _write_tokenizer(folder: Path) -> list[str]:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers  # noqa: PLC0415

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: index for index, letter in enumerate(letters)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(word, special=True) for word in SPECIAL])
    tokenizer.add_tokens([AddedToken(word) for word in TIMES])
    tokenizer.save(str(folder / "tokenizer.json"))
    return [tokenizer.id_to_token(index) for index in range(tokenizer.get_vocab_size())]


def _fill_encoder(encoder: Any, random: np.random.Generator) -> None:
    encoder.conv1.weight, encoder.conv1.bias = _some(random, WIDTH, MELS, 3), _some(random, WIDTH)
    encoder.conv2.weight, encoder.conv2.bias = _some(random, WIDTH, WIDTH, 3), _some(random, WIDTH)
    encoder.position_encodings.encodings = _some(random, AUDIO_CONTEXT, WIDTH)
    _norm(encoder.layer_norm)
    for layer in encoder.layer:
        _attention(layer.self_attention, random, (3, 1))
        _feed_forward(layer.ffn, random)


def _fill_decoder(decoder: Any, random: np.random.Generator, words: int) -> None:
    decoder.embeddings.weight = _some(random, words, WIDTH)
    decoder.position_encodings.encodings = _some(random, TEXT_CONTEXT, WIDTH)
    decoder.projection.weight = _some(random, words, WIDTH)
    decoder.scale_embeddings = False
    _norm(decoder.layer_norm)
    for layer in decoder.layer:
        _attention(layer.self_attention, random, (3, 1))
        _attention(layer.attention, random, (1, 2, 1))
        _feed_forward(layer.ffn, random)


def _attention(attention: Any, random: np.random.Generator, fused: tuple[int, ...]) -> None:
    _norm(attention.layer_norm)
    for linear, count in zip(attention.linear, fused, strict=True):
        linear.weight, linear.bias = _some(random, count * WIDTH, WIDTH), _some(random, count * WIDTH)


def _feed_forward(ffn: Any, random: np.random.Generator) -> None:
    _norm(ffn.layer_norm)
    ffn.linear_0.weight, ffn.linear_0.bias = _some(random, 4 * WIDTH, WIDTH), _some(random, 4 * WIDTH)
    ffn.linear_1.weight, ffn.linear_1.bias = _some(random, WIDTH, 4 * WIDTH), _some(random, WIDTH)


def _norm(norm: Any) -> None:
    norm.gamma, norm.beta = np.ones(WIDTH, dtype=np.float32), np.zeros(WIDTH, dtype=np.float32)


def _some(random: np.random.Generator, *shape: int) -> Any:
    return random.normal(0, 0.1, shape).astype(np.float32)
