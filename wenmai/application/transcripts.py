"""A conversation as Markdown: each question with its answer, what that rests on, and how sure it is."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from nodes.confidence import FAIR, HIGH
from nodes.notices import check_text
from tools.formatting import flat_text
from tools.messages import say, speaking

if TYPE_CHECKING:
    from state.context import Language
    from wenmai.application.conversations import KeptTurn, ThreadExport

LINK = re.compile(r"\](?=[(:])")  # of a link, of an image, or of the address that either names
TAG = re.compile(r"<(?=[A-Za-z/!?])")
FENCED = r"^ {0,3}(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?s:.*?)(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)"  # code, to its end
HEADING = re.compile(rf"{FENCED}|^#{{1,4}}(?=\s)", re.MULTILINE)


def markdown_of(thread: "ThreadExport") -> str:
    """Return a thread as a text for people: questions as headings, below each answer its quotes, its verdict, its date.

    There is no HTML in it, no link and no image.
    """
    parts = [f"# {flat_text(thread.title)}"]
    languages: list[Language] = [one.language for one in thread.turns if one.language]
    known: Language = languages[0] if languages else "zh"
    for turn in thread.turns:
        with speaking(turn.language or known):
            parts += turn_parts(turn)
    return without_active_parts("\n\n".join(parts)) + "\n"


def turn_parts(turn: "KeptTurn") -> Iterator[str]:
    yield f"## {flat_text(turn.question)}"
    if turn.resolved_question not in (None, turn.question):
        yield f"> {say('cli.answer.resolved', question=flat_text(turn.resolved_question or ''))}"
    yield HEADING.sub(lambda found: found[0] if found["fence"] else f"##{found[0]}", turn.answer)  # below its question
    if turn.citations:
        quotes = ({"n": one["n"], "place": one["label"], "quote": flat_text(one["quote"])} for one in turn.citations)
        yield "\n".join(f"> {say('cli.answer.citation', **one)}" for one in quotes)
    if turn.notes and turn.language and (checked := check_text(turn.notes, turn.language)):
        yield f"> {checked}"
    if facts := [*facts_of(turn)]:
        yield f"> {' · '.join(facts)}"


def facts_of(turn: "KeptTurn") -> Iterator[str]:
    """Yield how sure an answer is, how far its reader was, and when it was given."""
    if verdict := verdict_of(turn):
        yield verdict
    if turn.as_of:
        yield say("guard.visible_until", **turn.as_of)
    if turn.answered_at:
        yield f"{datetime.fromisoformat(turn.answered_at):%Y-%m-%d %H:%M %Z}".strip()


def verdict_of(turn: "KeptTurn") -> str:
    """Return the verdict on an answer in a few words, '' where there is nothing to be said."""
    if turn.status not in ("answer", "not_found"):
        return ""
    sure = "" if turn.confidence is None else f" {round(turn.confidence * 100)}%"
    return say(f"transcript.{verdict_word(turn)}") + sure


def verdict_word(turn: "KeptTurn") -> str:
    """Return the name of a verdict. What did not pass, or was not verified whole, is not called sure."""
    sure = turn.confidence
    if turn.status == "not_found":
        return "not_found"
    if sure is not None and sure < FAIR:
        return "low"
    if turn.passed is False:
        return "unverified"
    if sure is not None and sure < HIGH:
        return "fair"
    if any(note["action"] == "flagged" for note in turn.notes):
        return "partly"
    if sure is not None:
        return "high"
    return "checked" if turn.passed else "ungraded"


def without_active_parts(text: str) -> str:
    """Return Markdown in which what answers and texts quote is text: no HTML, no links, no images."""
    return TAG.sub("&lt;", LINK.sub("] ", text))


def split_whole(text: str) -> tuple[str, str]:
    """Return the beginning of a text that grows, and the sign at its end that the next one may make markup of."""
    return (text[:-1], text[-1]) if text.endswith(("]", "<")) else (text, "")
