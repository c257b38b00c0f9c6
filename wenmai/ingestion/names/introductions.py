"""Names beside a word of kinship, friendship, mastery or office: 宋砚的父亲宋伯年, Thomas Grey, the brother of Edward.

A word that ends like an organisation and of which people are said to hold offices is one: 他是港务厅的书办.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache

from state.context import Language
from tools.language import HAN
from wenmai.ingestion.names.spans import Place
from wenmai.language.lexicon import relation_words

LEAST_OFFICES = 2
"""Statements of an office that make an organisation."""
_ORGANISED = "厅行局院馆堂坊阁庄寨帮派教会社团队府衙署部司"
REACH = 40
"""Characters before and behind a name that are looked at."""
_TIES = {
    "zh": ("kin", "friend", "enemy", "pupil", "mate", "rank", "head"),
    "en": ("kin", "friend", "enemy", "pupil", "rank", "head", "under"),
}
_BEFORE = {
    "zh": r"(?:[的之]?(?:{ties})，?(?:叫做|名叫|叫|是)?|[是乃]|嫁给了?|娶了?)$",
    "en": r"(?:\b(?:{ties}),? (?:of|to|in) (?:the )?|['’]s (?:{adj} )*(?:{ties}),? (?:is |was )?"
    r"|\bmarried |\bjoined (?:the )?)$",
}
_AFTER = {
    "zh": r"，?(?:(?:就|便|正|也)?[是乃，][^，。！？；]{{1,12}}?[的之]|的?)(?:{ties})(?:[，。！；]|$|[^\W的们])",
    "en": r"(?:,| is| was| had been)(?: (?:the|a|an))? (?:\w+['’]s )?(?:{adj} )*(?:{ties})\b"
    r"|['’]s (?:{adj} )*(?:{ties})\b| married ",
}


@cache
def _expressions(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = relation_words(language)
    ties = "|".join(words[name] for name in _TIES[language])
    parts = {"ties": ties, "adj": f"(?:{words.get('adj', '')})"}
    return re.compile(_BEFORE[language].format(**parts)), re.compile(_AFTER[language].format(**parts))


def introductions(texts: Sequence[str], surface: str, places: Sequence[Place]) -> int:
    """Return at how many of its places a name stands beside a word that says whose it is, or of what."""
    before, after = _expressions("zh" if HAN.search(surface) else "en")

    def is_introduced(place: Place) -> bool:
        text, end = texts[place.chapter], place.start + len(surface)
        head, tail = text[max(0, place.start - REACH) : place.start], text[end : end + REACH]
        return bool(before.search(head) or after.match(tail))

    return sum(map(is_introduced, places))


def organisations(texts: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the organisations of which a text names several offices, and that are not known."""
    words = relation_words("zh")
    office = re.compile(
        rf"(?:(?<=[，。“：、；])|[是做当任兼]了?|^)([一-龥]{{1,5}}[{_ORGANISED}])(?:的)?(?:{words['head']}|{words['rank']})",
        re.MULTILINE,
    )
    stated = Counter(match[1] for text in texts for match in office.finditer(text))
    return [name for name, count in stated.items() if count >= LEAST_OFFICES and name not in known]
