"""Citations as LangChain's standard annotations: which characters of a message rest on which quotation."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.content import Citation as Annotation

KEY = "annotations"  # in a message's additional_kwargs
MARK = re.compile(r"\[(\d+)\]")
# Where a quotation stands is in the result, and found by its evidence: each checkpoint holds every message.
NAMES = ("n", "evidence")


def cited_message(text: str, citations: Sequence[Mapping[str, Any]], id: str) -> AIMessage:
    """Return an answer as a message with its citations."""
    found = annotations(text, citations)
    return AIMessage(text, id=id, additional_kwargs={KEY: found} if found else {})


def annotations(text: str, citations: Sequence[Mapping[str, Any]]) -> list[Annotation]:
    """Return one annotation for each mark `[n]` of a text that has a citation, in order."""
    known = {one["n"]: one for one in citations}
    marks = ((match, known.get(int(match[1]))) for match in MARK.finditer(text))
    return [annotation(match, one) for match, one in marks if one is not None]


def annotation(mark: re.Match[str], citation: Mapping[str, Any]) -> Annotation:
    """Return the annotation of a mark; `extras` names the citation in the turn's result."""
    return Annotation(
        type="citation",
        title=citation["label"],
        cited_text=citation["quote"],
        start_index=mark.start(),
        end_index=mark.end(),
        extras={name: citation[name] for name in NAMES},
    )
