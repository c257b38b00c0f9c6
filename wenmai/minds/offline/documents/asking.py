"""What a question asks of uploaded documents, and the calls for it (documents.md §3)."""

from collections.abc import Sequence

from state.schema import Evidence
from tools.documents.search import LIST_DOCUMENTS
from tools.language import is_chinese
from tools.story.names import fold
from tools.text.words import words_of
from wenmai.language.lexicon import patterns
from wenmai.minds.offline.questions.question import content_words

HALF = 0.5  # share of a question's words that a row, or a sentence with its code, must say
PATTERNS = patterns("wenmai.minds.offline.documents")


def asks_for_list(question: str) -> bool:
    """Return True if a question asks which documents there are, not what they say."""
    name = "listing" if is_chinese(question) else "listing_english"
    return PATTERNS[name].search(question.strip()) is not None


def mentioned_in_files(question: str) -> str:
    """Return what a question wants to have found in documents (which documents mention …), '' for another question."""
    found = PATTERNS["mentioning"].search(question)
    words = next(filter(None, found.groups()), "") if found else ""
    return words.strip(" “”\"'《》「」‘’的了吗呢")


def asks_open_tasks(question: str) -> bool:
    return PATTERNS["open_tasks"].search(question) is not None


def names_files(question: str) -> bool:
    """Return True if a question speaks of files, so that a story comes behind them."""
    return PATTERNS["files_named"].search(question) is not None


def exact_terms(question: str) -> list[str]:
    """Return the phrases between quotes and the codes of a question."""
    codes = [code.rstrip(".,") for code in PATTERNS["code"].findall(PATTERNS["quoted"].sub(" ", question))]
    return list(dict.fromkeys([*PATTERNS["quoted"].findall(question), *codes]))


def admitted(question: str, pieces: Sequence[Evidence]) -> list[Evidence]:
    """Return the pieces without listed files, and of chunks only those that have the exact terms of the question.

    Those with most of them; none where a term is in no chunk.
    """
    terms = [fold(term) for term in exact_terms(question)]
    chunks = [one for one in pieces if one["kind"] == "document" and one["tool"] != LIST_DOCUMENTS]
    held = {one["id"]: {term for term in terms if term in fold(whole(one))} for one in chunks}
    is_known = set(terms) == set[str]().union(*held.values())
    most = max(map(len, held.values()), default=0)
    kept = {id for id, found in held.items() if is_known and len(found) == most}
    return [one for one in pieces if one["kind"] != "document" or one["id"] in kept]


def whole(piece: Evidence) -> str:
    """Return a chunk with the name of its file and its place in it."""
    return "\n".join([*above(piece), piece["text"]])


def above(piece: Evidence) -> list[str]:
    """Return the name of a chunk's file and its place in it."""
    return [part for part in (piece["source"], piece["location"]) if part]


def asked_words(question: str) -> list[str]:
    """Return the content words of a question but for those that only ask how many, or what something means."""
    return content_words(PATTERNS["asking"].sub(" ", question))


def said_share(words: Sequence[str], text: str) -> float:
    """Return the share of words that a text has, English ones whole but for their endings; 1 of none."""
    folded, known = fold(text), set(words_of(text))
    said = [set(words_of(word)) <= known if word.isascii() else fold(word) in folded for word in words]
    return sum(said) / len(said) if said else 1.0
