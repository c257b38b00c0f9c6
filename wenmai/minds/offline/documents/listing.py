"""What is listed from documents: files, those that mention something, open tasks, sentences with a code, changes."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import combinations

from nodes.roles import PlanRequest
from state.draft import Sentence
from state.schema import Evidence
from tools.documents.records import OPEN_TASK
from tools.documents.search import KEYWORD_SEARCH, LIST_DOCUMENTS, MOST_FOUND, MOST_ROWS, SEMANTIC_SEARCH, document_id
from tools.evidence import passage_evidence
from tools.ports import PassageStore
from tools.records import PassageFilter
from tools.story.names import fold
from tools.text.sentences import TIMED
from wenmai.minds.offline.calls import Call
from wenmai.minds.offline.documents.asking import (
    HALF,
    PATTERNS,
    admitted,
    asked_words,
    asks_for_list,
    asks_open_tasks,
    exact_terms,
    mentioned_in_files,
    names_files,
    said_share,
    whole,
)
from wenmai.minds.offline.documents.versions import PATTERNS as OF_VERSIONS
from wenmai.minds.offline.documents.versions import DatedRead, Moment, are_versions, compares, side_line
from wenmai.minds.offline.reading import Read, sentences_of
from wenmai.minds.offline.wordings import cited, say, sentence

SENDER = ": "
NO_MOMENT: Moment = ("", "", ())  # without days the messages of a chat are in their order
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


def sender_asked(question: str, evidence: Sequence[Evidence]) -> str:
    """Return the sender of messages among evidence whose first or last one a question asks for, '' for none."""
    if not PATTERNS["messages"].search(question):
        return ""
    senders = {line.partition(SENDER)[0] for piece in evidence for line in messages_in(piece) if SENDER in line}
    named = [one for one in senders if fold(one) in fold(question)]
    return max(named, key=lambda one: (len(one), one), default="")


def message_calls(question: str, evidence: Sequence[Evidence]) -> list[Call]:
    """Return the search for all messages of a sender, where their first or last one is asked for."""
    sender = sender_asked(question, evidence)
    return [search_of(sender)] if sender else []


def message_passage(question: str, names: Sequence[str]) -> list[Call]:
    """Return the call for the first or last passage of a story with a sender, whose first or last message is asked."""
    asked = PATTERNS["messages"].search(question) if names else None
    which = "last" if asked and any(asked.groups()) else "first"
    return [("read_passage", {"names": [names[0]], "which": which})] if asked else []


def search_of(sender: str) -> Call:
    return KEYWORD_SEARCH, {"keywords": f'"{sender}{SENDER.strip()}"', "limit": MOST_FOUND}


async def message_lines(passages: PassageStore, request: PlanRequest) -> list[Sentence]:
    """Return the first or last message of a sender, of documents or of a story, with its day.

    [] where not all of those in documents were found, or one of several chats has no days.
    """
    asked = PATTERNS["messages"].search(request.resolved)
    if not asked:
        return []
    pieces = [piece for piece in request.evidence if piece["kind"] == "document"]
    if request.library:
        rows = await passages.scroll(request.library, PassageFilter(horizon=request.horizon))
        pieces += [passage_evidence(row, None) for row in rows]
    sender = sender_asked(request.resolved, pieces)
    found = [
        DatedRead(Read(piece, line, line, 0.0))
        for piece in pieces
        for line in messages_in(piece)
        if line.startswith(f"{sender}{SENDER}")
    ]
    done = [one for one in request.calls if (one["tool"], one["args"]) == search_of(sender)]
    if any(one.read.piece["kind"] == "document" for one in found) and not (done and done[-1]["items"] < MOST_FOUND):
        return []
    if len({document_id(one.read.piece) for one in found}) > 1 and not all(one.day for one in found):
        return []
    found.sort(key=lambda one: (one.moment if one.day else NO_MOMENT, one.read.piece["start"] or 0))
    chosen = found[-1 if any(asked.groups()) else 0] if sender and found else None
    is_cited = chosen is not None and any(one["id"] == chosen.read.piece["id"] for one in request.evidence)
    return [side_line(chosen, request.language)] if chosen and is_cited else []


def messages_in(piece: Evidence) -> list[str]:
    is_text = piece["kind"] in ("document", "passage")
    return [line for line in piece["text"].split("\n") if is_text and TIMED.search(line)]


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


def change_call(question: str) -> Call:
    """Return the search for all of two short versions, for a question of what is different in one of them."""
    return SEMANTIC_SEARCH, {"query": question, "top_k": MOST_ROWS}


def asks_changes(request: PlanRequest) -> bool:
    """Return True if a question compares files, or versions of one; without a book also one that says no more."""
    is_bare = not request.library and not words_beside(request.resolved)
    return compares(request.resolved) and (names_files(request.resolved) or is_bare)


def words_beside(question: str) -> list[str]:
    """Return the words of a question but for those that compare, and that speak of files."""
    return asked_words(PATTERNS["files_named"].sub(" ", OF_VERSIONS["compared"].sub(" ", question)))


def change_lines(request: PlanRequest) -> list[Sentence]:
    """Return the sentences that two versions do not share, those of the older one first where it is known.

    [] where the question has words of what they say, which are asked of alone, where not all of them was found, or
    where no two of the documents, or several, are versions.
    """
    done = [one for one in request.calls if one["tool"] == SEMANTIC_SEARCH]
    if not asks_changes(request) or not any(one["items"] < one["args"].get("top_k", 0) for one in done):
        return []
    texts: dict[str, list[DatedRead]] = {}
    chunks = [one for one in request.evidence if one["kind"] == "document" and one["tool"] != LIST_DOCUMENTS]
    for piece in sorted(chunks, key=lambda one: one["start"] or 0):
        said = (" ".join(piece["text"][slice(*span)].split()) for span in sentences_of(piece, piece["text"]))
        texts.setdefault(document_id(piece), []).extend(DatedRead(Read(piece, one, one, 0.0)) for one in said if one)
    pairs = combinations(filter(None, texts.values()), 2)
    found = [
        (first, second, codes)
        for first, second in ((two, one) if one[0].is_later(two[0]) else (one, two) for one, two in pairs)
        if (codes := changes(first, second)) is not None
    ]
    told = "\n".join(one.read.sentence for sentences in texts.values() for one in sentences)
    if len(found) != 1 or any(said_share([word], told) for word in words_beside(request.resolved)):
        return []
    first, second, codes = found[0]
    lines = [one for _, i, to_i, j, to_j in codes for one in [*first[i:to_i], *second[j:to_j]]]
    return [side_line(one, request.language) for one in lines]


def changes(first: list[DatedRead], second: list[DatedRead]) -> list[tuple[str, int, int, int, int]] | None:
    """Return what `difflib` says of the sentences of two versions, but for what is equal; None for two other texts."""
    old, new = [[one.read.sentence for one in text] for text in (first, second)]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if not are_versions(first[0].read.piece, second[0].read.piece) and matcher.ratio() < HALF:
        return None
    return [code for code in matcher.get_opcodes() if code[0] != "equal"]
