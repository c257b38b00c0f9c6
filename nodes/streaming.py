"""A running turn as a person sees it: calls and results, thoughts, the draft as it is written, the answer.

None of it enters the state: the session's messages hold what the user said and what was answered.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.content import Citation as Annotation
from langgraph.graph.message import push_message
from langgraph.runtime import Runtime

from nodes.checking.statements import sentences_of
from nodes.citations import MARK, as_draft
from nodes.drafts import draft_by_code, draft_due
from nodes.quotes import cite
from nodes.scope import context_of
from state.context import Context
from state.events import DraftEvent, ResetEvent, ThoughtEvent, WithdrawnBecause
from state.schema import AgentState, Evidence
from tools.language import characters
from tools.messages import say_in


def show_answer(answer: AIMessage, pieces: Sequence[str]) -> None:
    """Show an answer piece by piece, under the id of its message; the last piece has what else the message has."""
    for piece in pieces:
        send(AIMessageChunk(content=piece, id=answer.id))
    send(AIMessageChunk(content="", id=answer.id, additional_kwargs=answer.additional_kwargs, chunk_position="last"))


def send(message: BaseMessage) -> None:
    """Send a message to the streams of messages alone."""
    push_message(message, state_key=None)


KEY = "annotations"  # in a message's additional_kwargs
NUMBER = re.compile(r"\[(\d+)\]")
# Where a quotation stands is in the result, and found by its evidence: each checkpoint holds every message.
NAMES = ("n", "evidence")


def cited_message(text: str, citations: Sequence[Mapping[str, Any]], id: str) -> AIMessage:
    found = annotations(text, citations)
    return AIMessage(text, id=id, additional_kwargs={KEY: found} if found else {})


def annotations(text: str, citations: Sequence[Mapping[str, Any]]) -> list[Annotation]:
    """Return one of LangChain's annotations for each mark `[n]` that has a citation: what rests on which quotation.

    `extras` names the citation in the turn's result.
    """
    known = {one["n"]: one for one in citations}
    return [
        Annotation(
            type="citation",
            title=one["label"],
            cited_text=one["quote"],
            start_index=mark.start(),
            end_index=mark.end(),
            extras={name: one[name] for name in NAMES},
        )
        for mark in NUMBER.finditer(text)
        if (one := known.get(int(mark[1])))
    ]


HELD_CHARACTERS = 40
"""Chinese characters without a mark that a text has before it is taken for a draft, while tools may be called."""


@dataclass(slots=True)
class GrowingText:
    """A model's text that comes in pieces: `raw` so far, `read` characters of it shown, with marks as in the answer."""

    evidence: Sequence[Evidence]
    raw: str = ""
    read: int = 0
    shown: str = ""

    def take(self, piece: str) -> str:
        self.raw += piece
        # Up to where nothing behind it changes it: without blanks and an open bracket at its end.
        return self._until(len(OPEN_MARK.sub("", self.raw.rstrip()).rstrip()))

    def end(self) -> str:
        return self._until(len(self.raw.rstrip()))

    def _until(self, end: int) -> str:
        added = self.raw[self.read : end]
        if not added:
            return ""
        if BRACKETS.search(added):
            sentences = sentences_of(as_draft(self.raw[:end], self.evidence), self.evidence)
            text = cite(sentences, self.evidence, lambda _: "")[0]
            added = text[len(self.shown) :]
        elif not self.shown:
            added = added.lstrip()
        self.read, self.shown = end, self.shown + added
        return added


@dataclass(slots=True)
class DraftStream:
    """Shows one model turn; `held` is text that may yet stand beside calls.

    `may_show` is False where the code writes the draft, whatever the model says; with `is_due` the text is one from its
    first word on.
    """

    state: AgentState
    write: Callable[[Any], None]
    may_show: bool
    is_due: bool
    held: str = ""
    text: GrowingText = field(init=False)

    def __post_init__(self) -> None:
        self.text = GrowingText(self.state["evidence"])

    def thought(self, words: str) -> None:
        self.write(ThoughtEvent(event="thought", attempt=self.state["attempt"], text=words))

    def words(self, piece: str) -> None:
        """Show words of the draft, as soon as they are known to be one."""
        self.held += piece
        is_long = len(self.held) >= characters(self.held, HELD_CHARACTERS)
        if self.may_show and (self.is_due or self.text.raw or is_long or MARK.search(self.held)):
            piece, self.held = self.held, ""
            self._show(self.text.take(piece))

    def calls(self) -> None:
        """End a turn that calls tools: its text is no draft."""
        beside = self.text.raw + self.held
        self.withdraw("calls")
        if beside.strip():
            self.thought(beside)

    def end(self, draft: str) -> None:
        self._show(self.text.take(self.held if self.held or self.text.raw else draft))
        self._show(self.text.end())

    def restart(self) -> None:
        self.withdraw("interrupted")

    def withdraw(self, reason: WithdrawnBecause) -> None:
        if self.text.shown:
            self.write(reset(self.state, self.state["attempt"], reason))
        self.held, self.text = "", GrowingText(self.state["evidence"])

    def _show(self, text: str) -> None:
        if text:
            self.write(DraftEvent(event="draft", attempt=self.state["attempt"], text=text))


def draft_stream(state: AgentState, runtime: Runtime[Context]) -> DraftStream | None:
    """Return what shows a model turn, None if drafts are shown only after grading."""
    if not context_of(runtime).stream_drafts:
        return None
    is_due = draft_due(state) or state["status"] == "small_talk"
    return DraftStream(state, runtime.stream_writer, may_show=draft_by_code(state) is None, is_due=is_due)


def reset(state: AgentState, attempt: int, reason: WithdrawnBecause, why: object = "") -> ResetEvent:
    text = say_in(state["language"], f"turn.withdrawn_{reason}", why=why)
    return ResetEvent(event="reset", attempt=attempt, reason=reason, text=text)


BRACKETS = re.compile(r"[\[［【(（\]］】)）]")
OPEN_MARK = re.compile(r"[\[［【(（][\sEContext\d,，、;；~～–-]*\Z", re.IGNORECASE)
"""A bracket at the end of a text that may become a mark."""
