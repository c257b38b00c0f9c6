"""How much of a question leaves for LangSmith: at most `QUESTION_BYTES`, steps in fewer words the more there are."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from pydantic_core import to_jsonable_python

QUESTION_BYTES = 200_000
"""What a question sends at most: its own run and those below it, with what the transport and the feedback add."""
QUESTION_INPUT, QUESTION_OUTPUT = 10_000, 55_000  # bytes, of the run of the question itself, with the whole answer
STEPS_BYTES = 120_000  # for the runs of its steps together
RUN_BYTES = 2_500  # of a step without its contents
EXTRA_BYTES = 4_000  # of what stands beside inputs and outputs, such as the schemas of tools
SHARE = 24  # a content of a step takes at most this part of what is left for steps,
PROMPT_SHARE = 6  # the prompt of a model this part
LEVELS = ((8_000, 60), (3_000, 30), (1_000, 16), (300, 8), (80, 4), (20, 2))
"""Characters of a text and rows of a list or names of an object, one after another until a value fits."""
CUT = "…"

Content = Literal["input", "output", "extra"]
Clean = Callable[[Any], Any]


@dataclass(slots=True)
class ByteBudget:
    """The bytes that the steps of a question may still send."""

    left: int = STEPS_BYTES


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one run may send.

    Attributes:
        clean: takes keys out of a value: before a text is cut, for half a key is not known as one.
    """

    clean: Clean
    budget: ByteBudget = field(default_factory=ByteBudget)
    run_type: str = "chain"
    is_step: bool = False

    def of_step(self, run_type: str) -> "Allowance | None":
        """Return what a run below this one may send, None where there is nothing left to send."""
        if self.budget.left < RUN_BYTES:
            return None
        self.budget.left -= RUN_BYTES
        return Allowance(self.clean, self.budget, run_type, is_step=True)

    def content(self, value: Any, kind: Content) -> Any:
        """Return a content as JSON, in fewer words where it is longer than it may be.

        The state that a step of the graph begins with is no more than its single values: the runs before it have the
        rest as their outputs.
        """
        if self.is_step and kind == "input" and self.run_type == "chain" and isinstance(value, Mapping):
            value = {name: one for name, one in value.items() if isinstance(one, str | int | float)}
        short = abridged(value, self.most(kind), self.clean)
        if self.is_step:
            self.budget.left = max(0, self.budget.left - size_of(short))
        return short

    def most(self, kind: Content) -> int:
        if kind == "extra":
            return min(EXTRA_BYTES, self.budget.left) if self.is_step else EXTRA_BYTES
        if self.is_step:
            is_prompt = kind == "input" and self.run_type == "llm"
            return self.budget.left // (PROMPT_SHARE if is_prompt else SHARE)
        return QUESTION_INPUT if kind == "input" else QUESTION_OUTPUT


def abridged(value: Any, most: int, clean: Clean) -> Any:
    """Return a value as JSON of at most so many bytes, of its own type; what is left out leaves a mark where it can."""
    short = plain(value)
    if size_of(short) <= most:
        return short
    for characters, rows in LEVELS:
        short = cut(short, characters, rows, clean)
        if size_of(short) <= most:
            return short
    return type(short)() if isinstance(short, dict | list) else CUT


def plain(value: Any) -> Any:
    """Return a value as JSON; what JSON cannot say becomes text."""
    return to_jsonable_python(value, fallback=str, serialize_unknown=True, bytes_mode="base64", inf_nan_mode="strings")


def cut(value: Any, characters: int, rows: int, clean: Clean) -> Any:
    """Return JSON whose texts, lists and objects are no longer than this.

    Of a list the ends stay, of an object the first names.
    """
    if isinstance(value, str):
        return value if len(value) <= characters else f"{clean(value)[:characters]}{CUT}"
    if isinstance(value, list):
        if len(value) > rows:
            value = [*value[: rows // 2], f"{CUT} {len(value) - rows} {CUT}", *value[-(rows - rows // 2) :]]
        return [cut(one, characters, rows, clean) for one in value]
    if isinstance(value, dict):
        short = {name: cut(one, characters, rows, clean) for name, one in islice(value.items(), rows)}
        return short if len(value) <= rows else {**short, CUT: f"{CUT} {len(value) - rows} {CUT}"}
    return value


def size_of(value: Any) -> int:
    """Return the bytes of JSON as it is sent."""
    return len(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
