"""Footnotes: what stands below an answer's text in a chat, and how the answer is found again in a client's history.

Below a line come the quotations, one a mark, what the check dropped or doubts, and under a spoiler guard how far the
answer has read. The note of the guard also tells a later request what the answer may have revealed.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from nodes.results.notices import check_text
from nodes.results.showing import annotations
from tools.text.sentences import on_one_line

RULE = "\n\n---\n\n"
NOTE = re.compile(r"\[\d+\] |（截至|\(as of |核对：|Checked: ")
READ = re.compile(r"（截至(?:第 (\d+) 部)?第 (\d+) 章）|\(as of (?:part (\d+), )?chapter (\d+)\)")
URN = "urn:wenmai:evidence:{evidence}"
PLACE = ("source", "part", "chapter", "start", "end")


def footnotes(record: Mapping[str, Any]) -> str:
    """Return what follows the text of an answer, '' where there is nothing to say."""
    lines = [quotation(one, record["language"]) for one in record["citations"]]
    lines += [doubts(record)] if doubts(record) else []
    lines += [read_until(record["as_of"], record["language"])] if record["as_of"] else []
    return RULE + "\n\n".join(lines) if lines else ""


def doubts(record: Mapping[str, Any]) -> str:
    """Return in one line what the check dropped or doubts, '' where it only moved marks."""
    told = [note for note in record.get("notes") or () if note["action"] != "moved"]
    return check_text(told, record["language"])


def quotation(citation: Mapping[str, Any], language: str) -> str:
    """Return a citation as a line: its mark, its place, its words."""
    sign = ": " if language == "en" else "："
    return f"[{citation['n']}] {citation['label']}{sign}“{on_one_line(citation['quote'])}”"


def read_until(guard: Mapping[str, int], language: str) -> str:
    """Return the note of a spoiler guard."""
    part, chapter = guard["part"], guard["chapter"]
    if language == "en":
        return f"(as of part {part}, chapter {chapter})" if part > 1 else f"(as of chapter {chapter})"
    return f"（截至第 {part} 部第 {chapter} 章）" if part > 1 else f"（截至第 {chapter} 章）"


def without_notes(answer: str) -> tuple[str, list[int] | None]:
    """Return an answer of a history without what was added to it, and the guard that it was given under."""
    text, rule, notes = answer.rpartition(RULE)
    if not rule or not NOTE.match(notes):
        return answer.strip(), None
    guard = READ.search(notes)
    if guard is None:
        return text.strip(), None
    part, chapter = guard[1] or guard[3], guard[2] or guard[4]
    return text.strip(), [int(part or 1), int(chapter)]


def url_citations(record: Mapping[str, Any], base: str) -> list[dict[str, Any]]:
    """Return the annotations of an answer; `citation` beside the protocol's own has what it has no field for."""
    found = annotations(record["answer"], record["citations"])
    known = {one["n"]: one for one in record["citations"]}
    return [url_citation(one, known[one.get("extras", {})["n"]], record, base) for one in found]


def url_citation(
    found: Mapping[str, Any], citation: Mapping[str, Any], record: Mapping[str, Any], base: str
) -> dict[str, Any]:
    """Return one annotation."""
    told = {
        "start_index": found["start_index"],
        "end_index": found["end_index"],
        "title": citation["label"],
        "url": address(citation, record["library"], base),
    }
    return {"type": "url_citation", "url_citation": told, "citation": dict(citation)}


def address(citation: Mapping[str, Any], library: str, base: str) -> str:
    """Return where a quotation is shown in its chapter; a name for what stands in none."""
    if not library or any(citation[name] is None for name in PLACE):
        return URN.format(evidence=citation["evidence"])
    query = urlencode({name: citation[name] for name in PLACE})
    return f"{base}api/v1/libraries/{quote(library)}/quotes?{query}"
