"""Full Chinese names in a talk that no library lists: whom 她 may mean in a follow-up on documents (LOP-09)."""

import re
from collections.abc import Sequence
from itertools import chain

from state.schema import ResolvedMention
from state.session import SessionTurn
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.language.lexicon import COMPOUND_SURNAMES, SURNAMES, surname
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline import phrases
from wenmai.minds.offline.reading import Word

PRONOUN = re.compile("(?<!其)[他她](?![们人])")
WHOSE = re.compile("[由的](?:[^，]{1,8})?是?谁")  # asks for another person, not who somebody is
LENGTHS, COMPOUND_LENGTHS = (2, 3), (3, 4)
NOTHING = Word("", "x", 0, 0)
GIVEN = ("nr", "a", "v", "vn", "ng", "vg", "ag", "z", "b", "t")  # what a part of a given name may be in a dictionary
# Verbs of one character that follow a name: 王强病了, 李娜住在上海. Given names end in few of them, and where one does
# (李国会) nobody is guessed, because the shorter name does not surely end. Chosen on made-up rows of personnel files.
ACTS = "说走来去到做找看问想要会能可应该让请带打开写买卖拿病死住姓管换回出进过吃喝用帮送收交签领负"
# What may follow a name: what the segmenter leaves behind one that it does not know may go on with it.
NO_END = "的是在和与跟等也都说由被把呢吗有叫"
FOLLOWED = re.compile(rf"$|[^\u3400-\u9fff]|[{NO_END}曾任于哪几为]|什么|多大|怎么")


def with_person(question: str, person: str | None) -> tuple[str, list[ResolvedMention]]:
    """Return a question with the one person of the last turn in the place of its first 他 or 她."""
    pronoun = PRONOUN.search(question)
    if pronoun is None or person is None or people(question):
        return question, []
    start, end = pronoun.span()
    return question[:start] + person + question[end:], [ResolvedMention(mention=pronoun[0], entity=person)]


def person_of(turn: SessionTurn) -> str | None:
    """Return whom a turn was about: who answers 的经理是谁, else whom it asked of, else whom its answer names.

    Where several are named nobody is guessed, nor where the name may be cut short.
    """
    asked, told = people(turn["resolved"]), people(turn["answer"])
    answering = {name: is_whole for name, is_whole in told.items() if name not in asked}
    found = (answering if WHOSE.search(turn["resolved"]) else {}) or asked or told
    name, is_whole = next(iter(found.items()), (None, False))
    return name if len(found) == 1 and is_whole else None


def names_of(person: str | None) -> NameTable:
    """Return the one person of the last turn as a name, where the segmenter would cut it: 林海 生."""
    if person is None or segmenter().tag(person, True)[0][0] == person:
        return NameTable.build(())
    return NameTable.build([Name(text=person, entity=person, kind="Character", mentions=1)])


def people(text: str) -> dict[str, bool]:
    """Return the names of people in a text, each with whether it surely ends where it is taken to end."""
    found, words = dict[str, bool](), tagged(text)
    for at, word in enumerate(words):
        name = name_at(words[at : at + 3])
        if is_full_name(name):
            found[name] = found.get(name, False) or ends(text, word.start + len(name), words)
    return {name: whole for name, whole in found.items() if whole or not any(is_cut(name, other) for other in found)}


def is_cut(name: str, other: str) -> bool:
    """Tell whether a name is the beginning of another one."""
    return name != other and other.startswith(name)


def tagged(text: str) -> list[Word]:
    """Return the segments of a text where they stand; a guessed word that is no name is taken apart: 生已, 签字."""
    found, at = list[Word](), 0
    guessed = (
        [(word, tag)] if tag == "nr" else segmenter().tag(word, False) for word, tag in segmenter().tag(text, True)
    )
    for word, tag in chain.from_iterable(guessed):
        at = text.index(word, at)
        found.append(Word(word, tag, at, at + len(word)))
        at += len(word)
    return found


def name_at(words: Sequence[Word]) -> str:
    """Return the name that these segments begin with, '' where they begin with none.

    The segmenter parts a name that it does not know: 陈 小雨 behind its surname, 林海 生 before its last character.
    """
    first, second = words[0], words[1] if len(words) > 1 else NOTHING
    if first.text in COMPOUND_SURNAMES and second.tag == "nr":
        return first.text + second.text
    if first.tag != "nr":
        return ""
    if first.text in SURNAMES and (second.tag == "nr" or (len(second.text) == 2 and second.tag in GIVEN)):
        return first.text + second.text
    if len(first.text) == 2 and second.tag in GIVEN and len(second.text) == 1 and second.text not in ACTS:
        return first.text + second.text
    return first.text[:-1] if len(first.text) == LENGTHS[1] and first.text[-1] in NO_END else first.text  # 苏婉是, 谁


def ends(text: str, at: int, words: Sequence[Word]) -> bool:
    """Tell whether a name surely ends here: at a sign, at a word that no name has, or before a word of a dictionary."""
    behind = next((word.text for word in words if word.start == at and len(word.text) > 1), "")
    return FOLLOWED.match(text, at) is not None or len(segmenter().tag(behind, False)) == 1


def is_full_name(word: str) -> bool:
    """Tell whether a word that is tagged as a name has a surname and is no title or kin."""
    return (
        len(word) in (LENGTHS if word[:2] not in COMPOUND_SURNAMES else COMPOUND_LENGTHS)
        and bool(surname(word))
        and word not in phrases.PERSON_NOUNS
        and word[-1] not in phrases.PERSON_HEADS
    )
