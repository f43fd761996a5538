"""Ill-formed TTIR: text with pieces deleted, exchanged, made huge or nested deeply."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|[%#!@^][\w$.-]*|[A-Za-z_][\w.$]*|-?\d+(?:\.\d+(?:[eE][+-]?\d+)?)?|->|\s+|//[^\n]*|.',
    re.DOTALL,
)
TYPES = (
    *("i1", "i8", "i32", "i64", "i128", "index", "f16", "bf16", "f32", "f64", "f8E5M2", "tensor<16xf32>"),
    *("tensor<16x!tt.ptr<f32>>", "!tt.ptr<f32>", "!tt.ptr<i1>", "tensor<*xf32>", "tensor<?xf32>", "tensor<0xf32>"),
    *("vector<4xf32>", "memref<4xf32>", "none", "tensor<3xi32>", "tensor<f32>", "tuple<i32>", "!tt.tensordesc<4xf32>"),
    "tensor<99999999x99999999xf32>",
)
NUMBERS = ("0", "-1", "1", "3", "2147483648", "-9223372036854775809", "9" * 40, "9" * 5000, "0x" + "F" * 33, "1e999")
PUNCTUATION = ("(", ")", "{", "}", "<", ">", "[", "]", ",", ":", "=", "->", '"', "%", "^", "#", "!", "@", "loc(", "\0")

Mutation = Callable[[list[str], Random], None]


def _solid(tokens: list[str]) -> list[int]:
    return [index for index, token in enumerate(tokens) if not token.isspace()]


def _of(tokens: list[str], pattern: str) -> list[int]:
    found = [index for index, token in enumerate(tokens) if re.fullmatch(pattern, token)]
    return found or _solid(tokens)


def delete_token(tokens: list[str], random: Random) -> None:
    del tokens[random.choice(_solid(tokens))]


def delete_operand(tokens: list[str], random: Random) -> None:
    del tokens[random.choice(_of(tokens, r"%.*"))]


def double_token(tokens: list[str], random: Random) -> None:
    at = random.choice(_solid(tokens))
    tokens.insert(at, tokens[at] + " ")


def exchange_tokens(tokens: list[str], random: Random) -> None:
    a, b = (random.choice(_solid(tokens)) for _ in range(2))
    tokens[a], tokens[b] = tokens[b], tokens[a]


def exchange_values(tokens: list[str], random: Random) -> None:
    a, b = (random.choice(_of(tokens, r"%.*")) for _ in range(2))
    tokens[a], tokens[b] = tokens[b], tokens[a]


def use_another_value(tokens: list[str], random: Random) -> None:
    values = _of(tokens, r"%.*")
    tokens[random.choice(values)] = tokens[random.choice(values)]


def replace_type(tokens: list[str], random: Random) -> None:
    tokens[random.choice(_of(tokens, r"i\d+|f\d+|bf16|tensor|!tt\.ptr"))] = random.choice(TYPES)


def replace_number(tokens: list[str], random: Random) -> None:
    tokens[random.choice(_of(tokens, r"-?\d.*"))] = random.choice(NUMBERS)


def replace_word(tokens: list[str], random: Random) -> None:
    words = _of(tokens, r"[A-Za-z_][\w.$]*")
    tokens[random.choice(words)] = tokens[random.choice(words)]


def replace_block(tokens: list[str], random: Random) -> None:
    blocks = _of(tokens, r"\^.*")
    tokens[random.choice(blocks)] = tokens[random.choice(blocks)]


def insert_punctuation(tokens: list[str], random: Random) -> None:
    tokens.insert(random.choice(_solid(tokens)), random.choice(PUNCTUATION))


def truncate(tokens: list[str], random: Random) -> None:
    del tokens[random.randrange(len(tokens)) :]


def delete_line(tokens: list[str], random: Random) -> None:
    lines = "".join(tokens).split("\n")
    del lines[random.randrange(len(lines))]
    tokens[:] = ["\n".join(lines)]


def move_line(tokens: list[str], random: Random) -> None:
    lines = "".join(tokens).split("\n")
    line = lines.pop(random.randrange(len(lines)))
    lines.insert(random.randrange(len(lines) + 1), line)
    tokens[:] = ["\n".join(lines)]


def nest_deeply(tokens: list[str], random: Random) -> None:
    opening = random.choice(["tensor<4x", "(", "{", "[", "loc(callsite(", "!tt.ptr<", "module {", "tuple<", "dense<"])
    tokens.insert(random.choice(_solid(tokens)), opening * random.choice([3, 200, 20_000]))


MUTATIONS: tuple[Mutation, ...] = (
    delete_token,
    delete_operand,
    double_token,
    exchange_tokens,
    exchange_values,
    use_another_value,
    replace_type,
    replace_number,
    replace_word,
    replace_block,
    insert_punctuation,
    truncate,
    delete_line,
    move_line,
    nest_deeply,
)


def mutated(text: str, seed: int) -> str:
    """`text` with one to three mutations; the same for the same seed."""
    random = Random(seed)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        tokens: list[str] = TOKEN.findall(text)
        if not _solid(tokens):
            return text
        random.choice(MUTATIONS)(tokens, random)
        text = "".join(tokens)
    return text
