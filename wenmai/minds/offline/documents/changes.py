"""What two versions of a document do not share, sentence by sentence."""

from difflib import SequenceMatcher
from itertools import combinations

from nodes.roles import PlanRequest
from state.draft import Sentence
from tools.documents.search import LIST_DOCUMENTS, MOST_ROWS, SEMANTIC_SEARCH, document_id
from wenmai.minds.offline.calls import Call
from wenmai.minds.offline.documents.asking import HALF, asked_words, names_files, said_share
from wenmai.minds.offline.documents.asking import PATTERNS as OF_FILES
from wenmai.minds.offline.documents.versions import PATTERNS, DatedRead, compares, have_one_name, side_line
from wenmai.minds.offline.reading import Read, sentences_of

MOST_CHANGES = 30
"""Sentences of a list of what differs; two versions with more of them are rather compared matter by matter."""


def change_call(question: str) -> Call:
    """Return the search for all of two short versions, for a question of what is different in one of them."""
    return SEMANTIC_SEARCH, {"query": question, "top_k": MOST_ROWS}


def asks_changes(request: PlanRequest) -> bool:
    """Return True if a question compares files, or versions of one; without a book also one that says no more."""
    is_bare = not request.library and not words_beside(request.resolved)
    return compares(request.resolved) and (names_files(request.resolved) or is_bare)


def words_beside(question: str) -> list[str]:
    """Return the words of a question but for those that compare, that speak of files, and that tell versions apart."""
    rest = question
    for pattern in (PATTERNS["compared"], OF_FILES["files_named"], PATTERNS["which_version"]):
        rest = pattern.sub(" ", rest)
    return asked_words(rest)


def change_lines(request: PlanRequest) -> list[Sentence]:
    """Return the sentences that two versions do not share, those of the older one first where it is known.

    [] where the question has words of what they say, which are asked of alone, where not all of them was found, where
    no two of the documents, or several, are versions, or where more differs than one reads.
    """
    done = [one for one in request.calls if one["tool"] == SEMANTIC_SEARCH]
    if not asks_changes(request) or not any(one["items"] < one["args"].get("top_k", 0) for one in done):
        return []
    texts: dict[str, list[DatedRead]] = {}
    chunks = [one for one in request.evidence if one["kind"] == "document" and one["tool"] != LIST_DOCUMENTS]
    for piece in sorted(chunks, key=lambda one: one["start"] or 0):
        said = (" ".join(piece["text"][slice(*span)].split()) for span in sentences_of(piece, piece["text"]))
        texts.setdefault(document_id(piece), []).extend(DatedRead(Read(piece, one, one, 0.0)) for one in said if one)
    in_time = sorted(filter(None, texts.values()), key=lambda sentences: sentences[0].moment)
    found = [
        (first, second, codes)
        for first, second in combinations(in_time, 2)
        if (codes := changes(first, second)) is not None
    ]
    told = "\n".join(one.read.sentence for sentences in texts.values() for one in sentences)
    if len(found) != 1 or any(said_share([word], told) for word in words_beside(request.resolved)):
        return []
    first, second, codes = found[0]
    both = {one.read.sentence for one in first} & {one.read.sentence for one in second}  # some may only have moved
    rows = [one for _, i, to_i, j, to_j in codes for one in [*first[i:to_i], *second[j:to_j]]]
    lines = [side_line(one, request.language) for one in rows if one.read.sentence not in both]
    return lines if len(lines) <= MOST_CHANGES else []


def changes(first: list[DatedRead], second: list[DatedRead]) -> list[tuple[str, int, int, int, int]] | None:
    """Return what `difflib` says of the sentences of two versions, but for what is equal; None for two other texts."""
    old, new = [[one.read.sentence for one in text] for text in (first, second)]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if not have_one_name(first[0].read.piece, second[0].read.piece) and matcher.ratio() < HALF:
        return None
    return [code for code in matcher.get_opcodes() if code[0] != "equal"]
