"""What is listed from documents: files, those that mention something, open tasks, sentences with a code."""

from nodes.roles import PlanRequest
from state.draft import Sentence
from state.schema import Evidence
from tools.documents.records import OPEN_TASK
from tools.documents.search import KEYWORD_SEARCH, LIST_DOCUMENTS, MOST_FOUND, document_id
from tools.ports import PassageStore
from tools.records import PassageFilter
from tools.story.names import fold
from wenmai.minds.offline.documents.asking import (
    HALF,
    admitted,
    asked_words,
    asks_for_list,
    asks_open_tasks,
    exact_terms,
    mentioned_in_files,
    said_share,
    whole,
)
from wenmai.minds.offline.reading import sentences_of
from wenmai.minds.offline.wordings import cited, say, sentence

IN_PART = 0.4
"""Probability of a list that lacks some of what is asked for: below a half."""
HEADS = (
    ("offline.documents.one_found", "offline.documents.found"),
    ("offline.documents.one_listed", "offline.documents.listed"),
)


def listing(request: PlanRequest) -> list[Sentence]:
    """Return the files, each once, where a question asks which there are; else []."""
    if not asks_for_list(request.resolved):
        return []
    documents = [piece for piece in request.evidence if piece["kind"] == "document"]
    listed = [piece for piece in documents if piece["tool"] == LIST_DOCUMENTS]
    files: dict[str, Evidence] = {}
    for piece in listed or documents:
        files.setdefault(document_id(piece), piece)
    head = HEADS[bool(listed)][len(files) != 1]
    lines = [sentence("- ", cited(piece["source"] or "", piece["id"])) for piece in files.values()]
    return [sentence(say(head, request.language, count=len(files))), *lines] if lines else []


MENTIONING = ("offline.documents.one_mentioning", "offline.documents.mentioning")


def mention_listing(request: PlanRequest) -> list[Sentence]:
    """Return the files that have a name, each once, where a question asks which documents mention it; else []."""
    asked = mentioned_in_files(request.resolved)
    name = fold(asked)
    files: dict[str, Evidence] = {}
    for piece in request.evidence if name else ():
        if piece["kind"] == "document" and name in fold(whole(piece)):
            files.setdefault(document_id(piece), piece)
    head = say(MENTIONING[len(files) != 1], request.language, count=len(files), name=asked)
    found = sorted((piece["source"] or "", piece["id"]) for piece in files.values())
    lines = [sentence("- ", cited(*one)) for one in found]
    return [sentence(head), *lines] if lines else []


def task_lines(request: PlanRequest) -> list[Sentence]:
    """Return the open tasks of documents and notes, each once, where a question asks for them; else []."""
    if not asks_open_tasks(request.resolved):
        return []
    found: dict[str, Evidence] = {}
    for piece in request.evidence:
        for task in open_tasks(piece["text"]) if piece["kind"] in ("document", "passage") else ():
            found.setdefault(task, piece)
    return [sentence("- ", cited(task, piece["id"])) for task, piece in found.items()]


async def has_all_tasks(passages: PassageStore, request: PlanRequest) -> bool:
    """Return True if the evidence has every open task that the library and the documents show to the run.

    A search finds all that documents have, up to its limit; of a library it finds the best passages.
    """
    for call in request.calls:
        if (call["tool"], call["args"].get("keywords")) == (KEYWORD_SEARCH, OPEN_TASK) and call["items"] >= MOST_FOUND:
            return False
    if not request.library:
        return True
    told = {task for piece in request.evidence for task in open_tasks(piece["text"])}
    rows = await passages.scroll(request.library, PassageFilter(horizon=request.horizon))
    return all(task in told for row in rows for task in open_tasks(row.text))


def open_tasks(text: str) -> list[str]:
    tasks = (line.partition(OPEN_TASK)[2].strip() for line in text.split("\n"))
    return [task for task in tasks if task]


def term_lines(request: PlanRequest) -> list[Sentence]:
    """Return the sentence that has the codes and quoted phrases of a question, where little else is asked; else []."""
    terms = [fold(term) for term in exact_terms(request.resolved)]
    rest = [word for word in asked_words(request.resolved) if not any(fold(word) in term for term in terms)]
    for piece in admitted(request.resolved, request.evidence) if terms else []:
        if piece["kind"] == "document" and said_share(rest, whole(piece)) >= HALF:
            sentences = (piece["text"][slice(*span)] for span in sentences_of(piece, piece["text"]))
            told = [
                cited(" ".join(one.split()), piece["id"]) for one in sentences if any(t in fold(one) for t in terms)
            ]
            return told[:1]
    return []
