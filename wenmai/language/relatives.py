"""Words of kinship that a story uses as names; the words of one group mean one relative."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from wenmai.language.lexicon import words
from wenmai.language.titles import Gender

_FEMALE = (
    "妈妈 母亲 妈 娘 娘亲 阿妈 老妈",
    "奶奶 祖母",
    "外婆 姥姥 外祖母",
    "姐姐 姐",
    "妹妹 妹",
    "舅妈 舅母",
    "姑姑 姑妈 姑",
    "姨妈 姨 姨母",
    "婶婶 婶 婶子",
    "伯母",
    "嫂子 嫂 嫂嫂",
    "妻子 老婆 媳妇",
    "Mother Mamma Mama Mummy Mum Mommy Mom Ma",
    "Grandmother Grandma Granny Gran Grandmamma",
)
_MALE = (
    "爸爸 父亲 爸 爹 爹爹 阿爸 老爸",
    "爷爷 祖父",
    "外公 姥爷 外祖父",
    "哥哥 哥",
    "弟弟 弟",
    "舅舅 舅",
    "姑父 姑夫 姑丈",
    "姨父 姨夫",
    "叔叔 叔 叔父",
    "伯伯 伯父",
    "姐夫",
    "丈夫 老公",
    "Father Papa Daddy Dad Pa",
    "Grandfather Grandpa Granddad Grandad",
)
_RANKED_FEMALE = ("姨 姨妈", "姑 姑姑", "婶 婶婶", "舅妈", "姐", "嫂", "奶奶")
_RANKED_MALE = ("舅 舅舅", "叔 叔叔", "伯 伯伯", "哥", "爷爷", "姑父", "姨父")
_RANKS = "大二三四五六七八九小老幺"


def _groups() -> Iterator[tuple[Gender, Sequence[str]]]:
    """Yield the words of each relative with the gender, those with a number among them."""
    sexes: tuple[tuple[Gender, Sequence[str], Sequence[str]], ...] = (
        ("f", _FEMALE, _RANKED_FEMALE),
        ("m", _MALE, _RANKED_MALE),
    )
    for gender, plain, ranked in sexes:
        for row in plain:
            yield gender, row.split()
        for rank, row in product(_RANKS, ranked):
            yield gender, [rank + word for word in row.split()]


RELATIVES: dict[str, tuple[str, Gender]] = {word: (group[0], gender) for gender, group in _groups() for word in group}
"""The words, each with the first of its group and the gender."""
CLAIMED = frozenset(
    words("""
    大叔 大伯 大婶 大哥 大姐 大嫂 大奶奶 小叔 小哥 小姐 小姑 老叔 老伯 老哥 老姐 老婶 老嫂 老爷爷 老奶奶
    哥哥 姐姐 弟弟 妹妹 叔叔 婶婶 婶子 伯伯 嫂子 嫂嫂 妻子 老婆 媳妇 丈夫 老公
    """)
)
"""What others are called too: a relative of the narrator where "my" stands before it somewhere."""
ELDERS = frozenset(words("爷爷 奶奶 外公 外婆 姥姥 姥爷 舅舅 舅妈 姑姑 姑父 姑妈 姨妈 姨父"))
"""What a story that is told from outside may call a person throughout."""
MY = ("我", "咱", "俺")


def _either(found: Iterable[str]) -> str:
    return "|".join(sorted(found, key=len, reverse=True))


CHINESE_WORD = re.compile(rf"(?:{_either(word for word in RELATIVES if not word.isascii())})")
ENGLISH_WORD = re.compile(rf"\b(?:{_either(word for word in RELATIVES if word.isascii())})\b(?!\s+[A-Z])")
MY_ENGLISH = re.compile(rf"\b[Mm]y\s+({_either(word.lower() for word in RELATIVES if word.isascii())})\b")


def relative_word(name: str) -> str:
    """Return the word of kinship of a name, without "my": 妈 for 我妈; '' where the name holds none."""
    word = name[1:] if name[:1] in MY else name.split()[-1].capitalize() if " " in name else name
    return word if word in RELATIVES else ""


def relative_gender(name: str) -> Gender:
    word = relative_word(name)
    return RELATIVES[word][1] if word else ""
