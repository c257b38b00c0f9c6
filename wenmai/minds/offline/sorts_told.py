"""Details that a question asks by their sort: which wine, which bird, the name of a page (S003-D08).

Stories leave most of these out. They are told where a text says which one it is, beside the one asked of, or beside a
word of the question where nobody else is named.
"""

import re
from collections.abc import Sequence
from functools import cache

from tools.story.linking import NameTable, fold
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.lexicon import NAMELESS, SORTS
from wenmai.minds.offline.matching import any_of, name_patterns, others_in, windows
from wenmai.minds.offline.words import content_words, expansions

_WHICH = "(?:什么样?的?|哪[一几]?[种首支本部杯坛]|哪[家里]产?的|何种|啥)"
ASKED_SORT = re.compile(f"{_WHICH}(?P<sort>{any_of(tuple(SORTS))})(?![\u4e00-\u9fff]{{0,8}}(?:颜色|时候))")
ASKED_NAME = re.compile(
    f"(?P<role>{any_of(tuple(NAMELESS))})(?:领头的|究竟|到底|又|各|分别)*(?:的?(?:名字|姓名)(?:叫|是)什么|叫什么|叫啥|姓什么|姓甚|名叫什么|法名)"
)
NAMING = "，?(?:曰：“[^，。]{0,2})?(?:复?姓(?!名)|名[曰叫唤]|唤[作做]|法名)"
AROUND = 16  # characters in which names are read


def sort_asked(question: str) -> re.Match[str] | None:
    """Return the sort that a question asks for; a longer word that begins like one asks for none: 毒计, 书信."""
    asked = ASKED_SORT.search(question)
    behind = question[asked.end() : asked.end() + 1] if asked else ""
    return None if asked and behind and segmenter().has_word(asked["sort"] + behind) else asked


def sort_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text says which one of the asked sort it is, beside the names and another asked word."""
    asked = sort_asked(analysis.question)
    if not asked:
        return True
    told = re.compile("|".join(SORTS[asked["sort"]]))
    names = name_patterns(analysis.entities, table)
    words = content_words(analysis.plain.replace(asked[0], " "))
    forms = [fold(form) for word in words for form in (word, *expansions(word))]
    near = ((window, text) for text in texts if told.search(text) for window in windows(text) if told.search(window))

    def is_of(window: str, text: str) -> bool:
        """Tell whether one of the names is spoken of: in the window, or in its text where that names nobody else."""
        within = text if forms and not others_in(window, analysis.entities, table) else window
        return not names or any(name.search(within) for name in names)

    return any(
        is_of(window, text) and (not forms or any(form in fold(window) for form in forms)) for window, text in near
    )


def name_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text names the page, the soldier or the envoy whose name is asked for, and whom it is asked of."""
    asked = ASKED_NAME.search(analysis.question)
    if not asked:
        return True
    roles = NAMELESS[asked["role"]]
    names = name_patterns(analysis.entities, table)
    told = (text for text in texts if not names or any(name.search(text) for name in names))
    return any(names_one(text, roles, analysis, table) for text in told)


@cache
def named_as(roles: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds one of some roles with what introduces a name."""
    return re.compile(f"{any_of(roles)}[子者]?{NAMING}")


def names_one(text: str, roles: tuple[str, ...], analysis: Analysis, table: NameTable) -> bool:
    """Tell whether a text gives a name to one of a role: 家奴秦庆童, 一狱卒，姓吴."""
    if named_as(roles).search(text):
        return True
    for role in re.finditer(f"{any_of(roles)}[子者]?", text):
        start = max(0, role.start() - AROUND)
        around = [m for m in table.find(text[start : role.end() + AROUND]) if m.entity not in analysis.entities]
        if any(role.start() == start + m.end or role.end() == start + m.start for m in around):
            return True
    return False
