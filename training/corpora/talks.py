"""Public follow-ups: KdConv in Chinese, CAsT and MTRAG in English."""

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from training.corpora.rows import rows
from training.examples import FollowUp, Reference
from wenmai.reader.inputs import GAP, Turn

_PRONOUNS = (
    re.compile(r"(?<!其)[他她它]们?"),
    re.compile(r"[这那该][部首家个种座本张位款][\u4e00-\u9fff]{1,4}?(?=的|是|在|有|吗|呢|里|，|？|$)"),
    re.compile(r"[这那][里儿边]"),
    re.compile(r"[这那](?:部|首|家|座|位)"),
)
"""What refers in a Chinese question, the surest first; a bare 那 opens a sentence more often than it refers."""
_WORD = re.compile(r"[\w'’-]+|[^\w\s]")
_SMALL_WORDS = (
    "a an the of in on at to for and or is are was were do does did what who when where why how which that "
    "this it its they them their he she his her be been about with from by as ? . , 's s you your i me my "
    "can could would"
)
_SMALL = frozenset(_SMALL_WORDS.split())
_ENGLISH_PRONOUN = re.compile(
    r"\b(it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|one|ones)\b", re.IGNORECASE
)


def kdconv(path: Path) -> Iterator[tuple[str, FollowUp]]:
    """Return the talk's id and each follow-up whose entity was named before."""
    for row in rows(path):
        name = row["triples"][0][0].split("（")[0].strip() if row["triples"] else ""
        talk, question = _turns(row["history"]), row["question"]
        if not talk or not name:
            continue
        key = row["id"].rsplit("-", 1)[0]
        pronoun = next((found for pattern in _PRONOUNS if (found := pattern.search(question))), None)
        if row["entity_in_question"]:
            if not row["pronoun"]:
                yield key, FollowUp(question, talk)
        elif any(name in turn.question + turn.answer for turn in talk):
            mention = pronoun.span() if pronoun else GAP
            yield (
                key,
                FollowUp(question, talk, [Reference(mention, (name,))], found=bool(row["pronoun"]) == bool(pronoun)),
            )


def _turns(said: list[str]) -> list[Turn]:
    return [Turn(said[at], said[at + 1] if at + 1 < len(said) else "") for at in range(0, len(said), 2)]


def rewrites(path: Path) -> Iterator[tuple[str, FollowUp]]:
    """Return the talk's id and each question with what its rewriting adds from the talk."""
    for row in rows(path):
        said = row.get("history") or row.get("history_user_turns") or []
        if not said:
            continue
        key = re.split(r"<::>|_", row["id"])[0]
        talk = [Turn(question, "") for question in said]
        if _words(row["question"]) == _words(row["rewrite"]):
            yield key, FollowUp(row["question"], talk)
        elif made := _rewritten(row["question"], row["rewrite"], talk):
            yield key, made


def _rewritten(question: str, rewrite: str, talk: list[Turn]) -> FollowUp | None:
    """Return what the rewriting puts in the place of words, or adds; None if it adds nothing of the talk."""
    said = " ".join(turn.question for turn in talk).lower()
    places, other = list(_WORD.finditer(question)), list(_WORD.finditer(rewrite))
    matcher = difflib.SequenceMatcher(
        None, [p.group().lower() for p in places], [p.group().lower() for p in other], False
    )
    references = []
    for kind, low, high, first, last in matcher.get_opcodes():
        if kind not in ("replace", "insert"):
            continue
        added = _said_before(rewrite[other[first].start() : other[last - 1].end()], said)
        if not added:
            continue
        old = question[places[low].start() : places[high - 1].end()] if high > low else ""
        pronoun = _ENGLISH_PRONOUN.search(old)
        start = places[low].start() if high > low else 0
        mention = (start + pronoun.start(), start + pronoun.end()) if pronoun else GAP
        references.append(Reference(mention, (added,)))
    references = _joined(references)
    if not references:
        return None
    return FollowUp(question, talk, references, found=all(r.mention[1] or _clean(question) for r in references))


def _joined(references: list[Reference]) -> list[Reference]:
    """Return one reference for each mention."""
    names: dict[tuple[int, int], tuple[str, ...]] = {}
    for reference in references:
        names[reference.mention] = (*names.get(reference.mention, ()), *reference.antecedents)
    return [Reference(mention, found) for mention, found in names.items()]


def _said_before(added: str, said: str) -> str:
    """Return the longest run of the added words that was said before, small words at its ends aside."""
    words = [word.group() for word in _WORD.finditer(added)]
    best = ""
    for first in range(len(words)):
        for last in range(len(words), first, -1):
            run = words[first:last]
            if run[0].lower() in _SMALL or run[-1].lower() in _SMALL:
                continue
            shown = " ".join(run).replace(" 's", "'s")
            if len(shown) > len(best) and re.search(rf"(?<!\w){re.escape(shown.lower())}(?!\w)", said):
                best = shown
    return best


def _clean(question: str) -> bool:
    """Return True if nothing but a gap can be what refers."""
    return not _ENGLISH_PRONOUN.search(question)


def _words(text: str) -> list[str]:
    return [word.group().lower() for word in _WORD.finditer(text) if word.group() not in "?.,"]
