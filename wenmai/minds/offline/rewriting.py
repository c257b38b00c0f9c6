"""The rewrite: which words are replaced, by what, and what is put in front."""

import re
from dataclasses import dataclass, field, replace

from state.schema import ResolvedMention
from wenmai.minds.offline import adrift, phrases, plurals, pointing, salience, things
from wenmai.minds.offline.anaphor import Anaphor, opening
from wenmai.minds.offline.anaphora import FATED, find_anaphors
from wenmai.minds.offline.binding import free
from wenmai.minds.offline.descriptions import epithet
from wenmai.minds.offline.discourse import Discourse
from wenmai.minds.offline.disjoint import governed, is_object, is_patient
from wenmai.minds.offline.dropping import companion, dropped, together_on
from wenmai.minds.offline.gaps import ahead, second, victim
from wenmai.minds.offline.guessing import about, matter, next_of_row, of_another, sibling, somebody
from wenmai.minds.offline.reading import MASK, Reading, read
from wenmai.minds.offline.subjects import Missing, missing
from wenmai.minds.offline.wording import enumerated, plain, replacement


@dataclass(slots=True)
class Draft:
    """Replacements found so far: (start, end, new text), and who already plays a part in the question."""

    question: str
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    mentions: list[ResolvedMention] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    together: tuple[str, ...] = ()

    def replace(self, start: int, end: int, names: tuple[str, ...], text: str) -> None:
        """Put `text` in place of the characters and note whom they meant."""
        self.edits.append((start, end, text))
        word = self.question[start:end]
        self.mentions += [ResolvedMention(mention=word, entity=name) for name in names]
        self.taken.update(names)

    def text(self) -> str:
        """Return the rewritten question."""
        question = self.question
        for start, end, text in sorted(self.edits, reverse=True):
            question = question[:start] + text + question[end:]
        return question


_NAMED = re.compile(f"(?:那|那么)?{MASK}+呢，")
"""那诸葛诞呢，死在谁的刀下: whom it asks about stands first."""


def rewrite(question: str, discourse: Discourse) -> tuple[str, list[ResolvedMention]]:
    """Return the question that stands by itself and which word became which entity."""
    reading = read(question, discourse.table)
    women = any(one.female for one in discourse.people())
    seen = find_anaphors(reading)
    works = things.works(reading) if things.work(discourse) else []
    found = [*works, *(plurals.whole(one, reading) for one in seen)]
    anaphors = free([one for one in found if one], reading, women=women)
    if other := of_another(reading, discourse):
        return other[0], [ResolvedMention(mention="", entity=name) for name in other[1]]
    if again := next_of_row(question, discourse):
        people = [one.name for one in discourse.turns[0].question.people()]
        return again, [ResolvedMention(mention="", entity=name) for name in dict.fromkeys(people)]
    draft = Draft(question, taken={one.name for one in reading.named})
    gap = missing(reading, seen)
    anaphors = [replace(one, governed=is_patient(one, reading)) for one in anaphors]
    pronoun = next((one for one in anaphors if one.form == "pronoun"), None)
    if gap and any(one.form in ("pronoun", "plural") and ahead(gap, one, reading) for one in anaphors):
        gap = None
    if gap and not (pronoun and (victim(reading, pronoun) or second(discourse, pronoun))):
        _fill(draft, gap, discourse, reading)
        gap = None
    previous: tuple[Anaphor, str] | None = None
    for one in sorted(anaphors, key=lambda one: one.form == "matter"):
        previous = _resolve(draft, one, discourse, reading, previous) or previous
    if gap:
        _fill(draft, gap, discourse, reading)
    _epithet(draft, discourse, reading)
    if not draft.edits and not _NAMED.match(reading.masked):
        thing = things.unnamed(reading, discourse, draft.taken)
        told = (thing,) if thing else about(reading, discourse)
        _prefix(draft, told or adrift.goes_on(reading, discourse, referring=bool(seen)))
    return draft.text(), draft.mentions


def _prefix(draft: Draft, names: tuple[str, ...], at: int = 0) -> None:
    """Say whom a question is about that names nobody, or leaves its object out: 关于曹髦，真正下令的是谁."""
    if names:
        draft.replace(at, at, names, f"关于{enumerated(names)}，")


def _resolve(
    draft: Draft, one: Anaphor, discourse: Discourse, reading: Reading, previous: tuple[Anaphor, str] | None
) -> tuple[Anaphor, str] | None:
    """Resolve one anaphor; return it with its entity when a later pronoun may mean the same."""
    if (
        previous
        and one.form in ("pronoun", "possessive")
        and one.text == previous[0].text
        and _same(previous[0], one, reading)
    ):
        names: tuple[str, ...] = (previous[1],)
    else:
        names = _names(draft, one, discourse, reading)
    if not names:
        _kin(draft, one, discourse, reading)
        return None
    draft.replace(one.start, one.end, names, replacement(one, names, reading))
    return (one, names[0]) if one.form == "pronoun" else None


_FAMILY = frozenset(["父亲", "母亲", "妻子", "丈夫", "儿子", "女儿", "哥哥", "弟弟", "姐姐", "妹妹", "兄长"])


def _kin(draft: Draft, one: Anaphor, discourse: Discourse, reading: Reading) -> None:
    """父亲后来去了哪里: the kin of whom the talk is about."""
    name = dropped(discourse, reading, draft.taken) if one.head in _FAMILY and one.text == one.head else None
    if name:
        draft.replace(one.start, one.start, (name,), f"{plain(name)}的")


def _names(draft: Draft, one: Anaphor, discourse: Discourse, reading: Reading) -> tuple[str, ...]:
    if one.form == "plural":
        said = re.search(r"([\u4e00-\u9fff]{1,8})的$", reading.masked[: one.start])
        again = draft.together if one.text[0] in "他她" else ()  # 那两个投降的，后来怎么处置他们: the same two
        draft.together = again or plurals.pair(discourse, one, draft.taken, said[1] if said else "")
        return draft.together
    return tuple(name for name in [_name(draft, one, discourse, reading)] if name)


def _name(draft: Draft, one: Anaphor, discourse: Discourse, reading: Reading) -> str | None:
    if one.form == "pronoun" and one.wanted is None:
        return things.it(discourse, draft.taken)
    if one.form in ("pronoun", "possessive"):
        return salience.person(discourse, one, draft.taken, reading.masked)
    if one.form == "counterpart":
        return _counterpart(draft, discourse)
    if one.form == "asked":
        return pointing.asked_person(discourse, one, draft.taken)
    if one.form == "ordinal":
        return plurals.listed(discourse, last=one.text[0] == "后")
    if one.form == "description":
        bare = not one.modifier and one.head in ("老将军", "老人家", "老太太", "凶手", "刺客", "将军")
        if discourse.attested.at == one.start:
            return sibling(discourse, one.head) or pointing.pointed(discourse, one, draft.taken)
        found = sibling(discourse, one.head) or pointing.described(discourse, one, draft.taken, strong=not bare)
        pointed = one.text[:1] in "那这" or one.text in FATED or re.search(r"的[那这]", one.text)
        return found or (_pointed(draft, one, discourse) if pointed else None)
    if one.form == "matter":
        return None if draft.edits else _topic_person(discourse, draft.taken)
    if one.wanted == "person":
        return _demonstrated(draft, one, discourse)
    return (
        things.thing(discourse, one, draft.taken)
        or things.scene(discourse, one, draft.taken)
        or _owner(draft, one, discourse, reading)
    )


def _demonstrated(draft: Draft, one: Anaphor, discourse: Discourse) -> str | None:
    if one.text[0] in "另其" and (other := plurals.other(discourse, draft.taken, one.female)):
        return other
    if discourse.attested.at == one.start:
        return pointing.pointed(discourse, one, draft.taken)
    if pointing.NEAR.match(one.text) or (one.head == "人" and not one.modifier):
        near = pointing.near_person(discourse, draft.taken, one.female)
        return near or salience.person(discourse, one, draft.taken, "")
    found = pointing.described(discourse, one, draft.taken, strong=False)
    return found or _pointed(draft, one, discourse)


def _pointed(draft: Draft, one: Anaphor, discourse: Discourse) -> str | None:
    return pointing.hinted(discourse, one, draft.taken) or somebody(discourse, one, draft.taken)


def _counterpart(draft: Draft, discourse: Discourse) -> str | None:
    people = [one for one in discourse.people() if one.name not in draft.taken]
    if draft.taken & {one.name for one in discourse.people()} or not people:
        return people[0].name if people else None
    focus = pointing.near_person(discourse, draft.taken, None)
    return focus or (people[1].name if len(people) > 1 else None)


def _topic_person(discourse: Discourse, taken: set[str]) -> str | None:
    people = [one.name for one in discourse.people() if one.name not in taken]
    return people[0] if people else None


def _owner(draft: Draft, one: Anaphor, discourse: Discourse, reading: Reading) -> str | None:
    """那条木腿: a thing that nobody named belongs to whom the talk is about."""
    book = one.head[-1:] in ("书", "说") and one.text[1:2] in tuple("本部")
    if draft.edits or reading.people() or book or one.wanted in ("place", "person"):
        return None
    return _topic_person(discourse, draft.taken)


def _same(first: Anaphor, second: Anaphor, reading: Reading) -> bool:
    """Tell whether two equal pronouns mean one person: 他的副将怎么劝他, 曹操想让他做官，他答应了吗."""
    between = reading.masked[first.end : second.start]
    if re.match(r"的|自己|" + phrases.ANY_RELATIONAL, between):
        return True
    if _BOTH_DONE_TO.fullmatch(between) and governed(first, reading):
        return True
    held = is_object(first, reading)  # 捉住他以后是怎么待他的, not 他后来为什么杀了他
    if held and re.fullmatch(r"(?:的时候|之后|以后|时|后(?!来))[^，\ue000]{1,6}", between):
        return True
    actor = any(first.end <= other.start and other.end <= second.start for other in reading.people())
    if actor and phrases.CLAUSE_BORDER.search(between):  # 她被赶走以后宝玉去看过她吗
        return True
    opens = re.search(r"(?:[，；]|的时候|之后|以后|之前|以前|时|后|前)(?:又|也|还|才|就|却|是|为什么)?$", between)
    return opens is not None


_BOTH_DONE_TO = re.compile("[^，\ue000]{1,8}，(?:又|还|就|要|想|便|并)*(?:把|将|给|替|被|向|对)")
"""谁嫌他只是个弓手，要把他赶出去: one who does both, to one."""


def _fill(draft: Draft, gap: Missing, discourse: Discourse, reading: Reading) -> None:
    thing = things.meant(reading, discourse, draft.taken, gap.at)
    if gap.gap == "matter":
        people = tuple(name for name in matter(discourse) if name not in draft.taken)
        _prefix(draft, (thing,) if thing else people, gap.at)
        return
    on_it = things.ON_IT.match(reading.masked, gap.at)
    if thing:
        draft.replace(gap.at, gap.at, (thing,), thing + ("的" if on_it else ""))
        return
    name = things.newest(discourse, draft.taken) if on_it else dropped(discourse, reading, draft.taken, gap.at)
    if name is None or (_OF_A_BOOK.match(reading.masked, gap.at) and discourse.referents[name].category == "person"):
        return
    beside = companion(name, discourse) if gap.gap == "outcome" else ()
    names = together_on(name, discourse, draft.taken) or (name, *beside)
    link = "的" if gap.gap == "possessor" or on_it else ""
    draft.replace(gap.at, gap.at, names, "和".join(plain(one) for one in names) + link)


_OF_A_BOOK = re.compile(
    "作者|主角|主题|书名|小说|剧情|情节|故事|一共有多少(?:个人物|字|回|章)|有多少(?:个人物|字|回|章)|有哪些(?:成语|人物)"
)
"""What no person has: 作者是谁."""


def _epithet(draft: Draft, discourse: Discourse, reading: Reading) -> None:
    at = opening(reading.masked)
    if any(start <= at < end or start == at for start, end, _ in draft.edits):
        return
    found = epithet(discourse, reading.masked[at:])
    if found:
        draft.replace(at, at + found[1], (found[0],), plain(found[0]))
