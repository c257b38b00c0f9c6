"""What a name or a noun stands for."""

from functools import lru_cache
from typing import Literal

from wenmai.language.lexicon import surname
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline import phrases

Category = Literal["person", "place", "group", "battle", "animal", "weapon", "vessel", "thing"]
KIND_CATEGORY: dict[str, Category] = {
    "Character": "person",
    "Location": "place",
    "Organization": "group",
    "Event": "battle",
}


@lru_cache(maxsize=4096)
def tag(text: str) -> tuple[tuple[str, str], ...]:
    """Segment a text with part-of-speech tags; a session's texts come back with every question."""
    return tuple(segmenter().tag(text, True)) if text else ()


def place_word(name: str) -> bool:
    """Tell whether the segmenter knows a name as a place."""
    label = tag(name)
    return len(label) == 1 and label[0][1] == "ns"


def category(name: str, kind: str | None) -> Category:
    """Return what a name stands for; a name that ends like a thing or is a known place is not taken for a person."""
    given = KIND_CATEGORY.get(kind or "Character", "thing")
    if given == "thing":
        return head_category(name) or "thing"
    if given != "person" or len(name) < 2:
        return given
    if name[-1] in phrases.TROOPS:
        return "group"
    if place_word(name) and not surname(name):  # the segmenter takes 甘宁 for a place
        return "place"
    return suffix_category(name) if len(name) > 2 else given


def suffix_category(name: str) -> Category:
    """Return the category that the end of a name tells, person if it tells none."""
    last = name[-1]
    if last in phrases.VESSELS:
        return "vessel"
    if last in phrases.PLACE_NAME_ENDS:
        return "place"
    if last in phrases.WEAPONS:
        return "weapon"
    if last in phrases.ANIMALS - frozenset("龙虎猴"):
        return "animal"
    if name.endswith(("之战", "战役")):
        return "battle"
    if last in phrases.PLACE_NAME_ENDS_UNLESS_SURNAME and not surname(name):
        return "place"
    return "person"


def head_category(noun: str) -> Category | None:
    """Return the class of things that a noun's head names, None for others."""
    if noun.endswith(tuple(phrases.BATTLES)):
        return "battle"
    last = noun[-1:]
    if last in phrases.ANIMALS or noun in ("坐骑", "神兽") or noun[-2:] in phrases.ANIMAL_WORDS:
        return "animal"
    if last in phrases.WEAPONS or noun in ("兵器", "武器", "法宝"):
        return "weapon"
    if last in phrases.PLACE_HEADS or noun == "地方":
        return "place"
    if last in phrases.VESSELS:
        return None if noun[-2:] in phrases.NO_VESSELS else "vessel"
    return "thing" if last in phrases.THINGS else None


def head_class(head: str) -> tuple[Category | None, bool | None]:
    """Return the class and the gender that a head noun tells."""
    if head in phrases.DEEDS_READ_AS_NOUNS:
        return None, None
    if (
        head in phrases.KIN
        or head.endswith(tuple(noun for noun in phrases.PERSON_NOUNS if len(noun) > 1))
        or head[-1:] in phrases.PERSON_HEADS
        or phrases.FEMALE_NOUN.search(head)
    ):
        female = True if phrases.FEMALE_NOUN.search(head) else False if phrases.MALE_NOUN.search(head) else None
        return "person", female
    return (head_category(head) if head else "person"), None
