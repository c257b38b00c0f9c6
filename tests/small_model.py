"""A scripted small model: it answers from the material that it is shown, with the habits that small models have.

It is a step of the loopback service of OpenAI's protocol, and slow: the service sends a token at a time.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from nodes.checking.evidence import words_of
from nodes.prompts.wording import NOT_FOUND
from tests.gemini.exchange import Request
from tests.gemini.parts import text as said
from tests.gemini.replies import Reply, candidate
from tools.language import HAN, spoken_in
from tools.text.sentences import statement_spans

Habit = Literal[
    "plain",  # the sentence of the material that shares most with the question
    "call",  # a call in a fence, its braces doubled, though it has no tools
    "endless",  # the same sentence until the limit of tokens, broken off
    "refuses",  # it finds nothing, whatever there is
    "invents",  # a number and a name that nothing says
    "terse",  # two words
    "numbered",  # with numbers of the material, behind a word that introduces it
    "next",  # the second best sentence of the material
]
HABITS: tuple[Habit, ...] = ("plain", "call", "numbered", "endless", "invents", "refuses", "next", "terse")
TOKEN = 2  # characters of a token of the stream
_LINE = re.compile(r"^\d+\. (?:[^\n:]{0,60}: )?(.*)$", re.MULTILINE)
_QUESTION = re.compile(r"(?:问题：|Question: )(.*)")


@dataclass(slots=True)
class SmallModel:
    """Answers with one habit after another; `gap_s` between two tokens: 0.2 is a model of five a second."""

    habits: tuple[Habit, ...] = HABITS
    gap_s: float = 0.002
    delay_s: float = 0.0
    prompts: list[str] = field(default_factory=list)
    order: Iterator[Habit] = field(init=False)

    def __post_init__(self) -> None:
        self.order = itertools.cycle(self.habits)

    def __call__(self, request: Request) -> Reply:
        prompt = "\n".join(str(one["content"]) for one in request.body["messages"])
        self.prompts.append(prompt)
        text, finish = written(next(self.order), prompt, int(request.body.get("max_tokens") or 10_000))
        body = {"candidates": [candidate([said(text)], finish)]}
        return Reply(body, delay_s=self.delay_s, gap_s=self.gap_s)


def written(habit: Habit, prompt: str, limit: int) -> tuple[str, str]:
    """Return what a model with a habit writes, and why it ends."""
    asked, shown = _QUESTION.findall(prompt)[-1], "\n".join(_LINE.findall(prompt))
    sentences = [shown[start:end].strip() for start, end in statement_spans(shown)]
    wanted = words_of(asked)
    best = sorted(sentences, key=lambda one: -len(wanted & words_of(one)))
    first, language = best[0], spoken_in(asked)
    if habit == "call":
        return f'```json\n{{{{"name": "search", "arguments": {{"query": "{asked}"}}}}}}\n```', "STOP"
    if habit == "endless":
        return (first * (limit * TOKEN // len(first) + 1))[: limit * TOKEN], "MAX_TOKENS"
    if habit == "invents":
        return ("因为张三丰在一九八七年死了。" if language == "zh" else "Because Mr Blenkins died in 1987."), "STOP"
    if habit == "terse":
        return first[:4] if HAN.search(first) else " ".join(first.split()[:2]), "STOP"
    texts: dict[Habit, str] = {
        "plain": first,
        "refuses": NOT_FOUND[language],
        "numbered": f"{'回答' if language == 'zh' else 'Answer'}：{first}[1]",
        "next": best[min(1, len(best) - 1)],
    }
    return texts[habit], "STOP"
