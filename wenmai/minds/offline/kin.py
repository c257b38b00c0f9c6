"""Kin that the story graph tells: 关兴 -> 关羽 that says 之子 answers 关羽的儿子是谁 and 关兴是谁的儿子."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from tools.evidence import Edge, edge_of
from wenmai.minds.offline import phrases
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.deeds import Lead
from wenmai.minds.offline.ranker import Ranked

RELATION = "FAMILY_OF"


@dataclass(frozen=True, slots=True)
class Role:
    """A kinship: the words for who has it, and those for the other side; `female` where its bearer's sex is told."""

    words: frozenset[str]
    inverse: frozenset[str] = frozenset()
    female: bool | None = None


def _role(words: str, inverse: str = "", female: bool | None = None) -> Role:
    return Role(frozenset(words.split()), frozenset(inverse.split()), female)


ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "儿子": _role("子 儿子 长子 次子 幼子 养子 义子 义父义子", "父 父亲 母 母亲", female=False),
        "女儿": _role("女 女儿 养女 义女", "父 父亲 母 母亲", female=True),
        "父亲": _role("父 父亲 爹", "子 儿子 长子 次子 幼子 女 女儿 义父义子", female=False),
        "母亲": _role("母 母亲 娘"),
        "弟弟": _role("弟 弟弟", "兄 哥哥 兄长"),
        "哥哥": _role("兄 哥哥 兄长", "弟 弟弟 妹 妹妹", female=False),
        "妻子": _role("妻 妻子 夫妻", "丈夫 夫妻", female=True),
        "丈夫": _role("丈夫 夫妻", "妻 妻子 夫妻", female=False),
        "侄子": _role("侄 侄子 侄儿"),
        "叔父": _role("叔叔 叔父 伯父", "侄 侄子 侄儿"),
    }
)
ONE_ONLY = (ROLES["父亲"], ROLES["母亲"])
"""Nobody has two: where texts seem to tell of several, the one that is named in the fewest words."""
_SPOKEN: Mapping[str, str] = MappingProxyType(
    {
        "儿子": "儿子|长子|次子", "女儿": "女儿", "父亲": "父亲|爸爸|爹", "母亲": "母亲|妈妈|娘", "弟弟": "弟弟",
        "哥哥": "哥哥|兄长", "妻子": "妻子|老婆|太太", "丈夫": "丈夫", "侄子": "侄子|侄儿", "叔父": "叔叔|叔父|伯父",
    }
)  # fmt: skip
_OTHER_SIDE: Mapping[str, str] = MappingProxyType(
    {
        "儿子": "父亲", "女儿": "父亲", "父亲": "儿子", "弟弟": "哥哥", "妻子": "丈夫", "丈夫": "妻子", "侄子": "叔父",
    }
)  # fmt: skip
_ASKED_OF = (
    r"的?(?:亲生)?(?:{words})(?:们)?(?:分别|又|都|到底|究竟)?"
    r"(?:是谁|是哪|叫|有谁|有哪|有几|名字|是什么人|的名字|[？?]?$)"
)
_WHOSE = r"(?:究竟|到底)?是(?:谁|哪[个位]人?)的(?:亲)?(?:{words})[？?。]?$"


@cache
def _asked() -> tuple[tuple[re.Pattern[str], Role], ...]:
    """Return what may stand behind a name, and the kinship of the one who is asked for."""
    return (
        *((re.compile(_ASKED_OF.format(words=words)), ROLES[role]) for role, words in _SPOKEN.items()),
        *((re.compile(_WHOSE.format(words=_SPOKEN[role])), ROLES[other]) for role, other in _OTHER_SIDE.items()),
    )


def asked_kin(analysis: Analysis) -> Role | None:
    """Return the kinship of the one who is asked for: 关羽的儿子是谁, 关兴是谁的儿子; None for other questions."""
    if len(analysis.entities) != 1:
        return None
    behind = analysis.question[analysis.mentions[0].end :]
    return next((role for asked, role in _asked() if asked.match(behind)), None)


def telling_kin(analysis: Analysis, ranked: Sequence[Ranked]) -> list[Lead]:
    """Return the edges that tell the asked kin, in the order of the story, each person once."""
    role = asked_kin(analysis)
    if role is None:
        return []
    rows = sorted(ranked, key=lambda row: row.piece["event_order"] or 0)
    found: dict[str, Lead] = {}
    for row in rows:
        edge = edge_of(row.piece)
        name = _kin_of(analysis.entities[0], edge, role) if edge else None
        if name:
            found.setdefault(name, Lead(row, name))
    leads = list(found.values())
    return leads if role not in ONE_ONLY else sorted(leads, key=lambda lead: len(lead.row.piece["text"]))[:1]


def _kin_of(name: str, edge: Edge, role: Role) -> str | None:
    """Return who stands in this role to somebody by an edge: its source is what it says of its target."""
    told = edge.description.strip().removeprefix("之")
    if edge.type != RELATION:
        return None
    if edge.target == name and told in role.words:
        return edge.source
    other = edge.target if edge.source == name and told in role.inverse else None
    woman = other is not None and phrases.FEMALE_NAME.search(other) is not None
    return None if role.female is not None and woman != role.female and told not in role.words else other
