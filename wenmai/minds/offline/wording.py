"""How a rewritten question says whom or what it means: 刘备的 for 他的, 青龙刀 for 那把刀."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.categories import tag
from wenmai.minds.offline.reading import Reading


def replacement(one: Anaphor, names: tuple[str, ...], reading: Reading) -> str:
    """Return what stands in the place of an anaphor."""
    text = enumerated(names)
    behind = reading.masked[one.end :]
    if one.form == "matter" or (one.wanted == "battle" and not names[0].endswith(("战", "役"))):
        return text + one.text
    if (
        one.wanted in ("thing", "weapon", "animal", "vessel")
        and one.form == "demonstrative"
        and not shares(names[0], one.head)
        and not names[0].startswith("《")
    ):
        return f"{text}的{one.text}"
    if one.form == "possessive":
        return text + ("的" if _possesses(behind) else "")
    if one.form in ("pronoun", "plural") and _possesses(behind) and re.match("|".join(phrases.KIN), behind):
        return text + "的"
    return text


def enumerated(names: tuple[str, ...]) -> str:
    """Return names as one says them: 刘备、关羽和张飞."""
    *others, last = map(plain, names)
    return f"{'、'.join(others)}和{last}" if others else last


def shares(name: str, head: str) -> bool:
    """Tell whether a name says what thing it is: 青龙刀 for 刀, 霜月宴 for 宴席."""
    return (
        bool(set(name[-2:]) & set(head))
        or head in phrases.GOODS | {"兵器", "武器", "法宝", "坐骑"}
        or not (head and name)
    )


def _possesses(behind: str) -> bool:
    words = tag(behind[:4])
    return bool(words) and words[0][1].startswith(("n", "m", "b", "zg", "ng", "j"))


def plain(name: str) -> str:
    """Return a canonical name without a note that tells namesakes apart: 严纲[吴]."""
    return re.sub(r"[\[（(].*$", "", name) or name
