"""Questions that leave out whom something is done to: 曹操怎么处置的, 孙权赏了把什么伞."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import opening
from wenmai.minds.offline.reading import MASK, Reading

_LEAD = "(?:后来|最后|当时|那)?"
_SOMEBODY = rf"(?:{MASK}+|书[里中]|别人|旁人|大家|后人|世人|众人|皇帝|主公|朝廷)"
_HOW = "(?:怎么|怎样|如何)(?:去|来)?"
_BY_WHAT = "用什么(?:办法|法子|手段|计策?)(?:去|来)?"
_TREATED = (
    "(?:评价|看待|处置|处理|对付|形容|描写|对待|安葬|报答|奖赏|惩罚|处罚|安置|打败|击败|收服|劝降|认识|"
    "骗过|救出|祭奠|悼念|羞辱|称呼|抓住|害死)"
)
_TAKEN = "(?:处死|斩[杀掉]?|葬|擒[住获]?|捉[住拿])"
"""是怎么葬的 may be said of the one who is named; 怎么葬的 and 用什么办法擒住的 are not."""
_END = "(?=的?呢?(?:[？?。]|$))"
_ACT = rf"(?:(?:是?{_HOW}|{_BY_WHAT}){_TREATED}|(?:(?<!是){_HOW}|{_BY_WHAT}){_TAKEN})"
_DONE = re.compile(
    rf"{_LEAD}{_SOMEBODY}[^，{MASK}是]{{0,4}}{_ACT}{_END}|后人(?:写|作|有|题)?诗?(?:称赞|赞叹|赞美|感叹|赞|叹)(?=[，？?])"
)
_DONE_AFTER = re.compile(rf"{_LEAD}{_SOMEBODY}[^，{MASK}]{{0,4}}?是?(?:{_HOW}|{_BY_WHAT})(?:{_TREATED}|{_TAKEN}){_END}")
_GAVE = re.compile(
    rf"{_LEAD}(?:{MASK}+|人家|别人|旁人|大家)[^，{MASK}给封赏]{{0,6}}"
    r"(?:[给封赏]了?(?=[个一]{0,2}[把件匹副口面顶领]?(?:什么(?!人)|啥|多大))|给(?=[起取封]了?[个一]{0,2}(?:什么|啥)))"
)
"""刘备给了个什么官: to whom is left out."""


def done_to(reading: Reading) -> int | None:
    """Return where it belongs whom somebody does it to, None where nobody is left out."""
    text = reading.masked
    found = _DONE.match(text) or _GAVE.match(text) or _behind_a_clause(reading)
    return found.end() if found else None


def _behind_a_clause(reading: Reading) -> re.Match[str] | None:
    """Return what somebody does behind a clause without a doer: 告发以后刘璋怎么处置的."""
    text, clause = reading.masked, phrases.TIME_CLAUSE.match(reading.masked)
    if clause is None or text[0] == "被" or any(one.start <= opening(text) for one in reading.people()):
        return None
    return _DONE_AFTER.match(text, clause.end()) or _GAVE.match(text, clause.end())
