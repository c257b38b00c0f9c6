"""What speaks against evidence, rule by rule (S003-D08).

A rule misfires where a story tells a thing in words that it does not know. So none refuses a Chinese question by
itself; `doubt` weighs them together.
"""

from collections.abc import Callable, Mapping, Sequence

from tools.story.linking import NameTable, fold
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.attributes_told import asked_word_told, attribute_told
from wenmai.minds.offline.claims import CLAIMS, claims_untold
from wenmai.minds.offline.details_told import (
    called_told,
    match_told,
    native_told,
    own_name_told,
    style_told,
    teacher_told,
)
from wenmai.minds.offline.events_told import conquests_told, death_told, either_told
from wenmai.minds.offline.measures import shape_told
from wenmai.minds.offline.outsiders import names_outsiders
from wenmai.minds.offline.sorts_told import name_told, sort_told

Rule = Callable[[Analysis, Sequence[str], NameTable], bool]


def names_known(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether the texts know every name of a question."""
    return not names_outsiders(analysis, fold("\n".join(texts)))


RULES: Mapping[str, Rule] = {
    "names": names_known,
    "shape": shape_told,
    "sort": sort_told,
    "given name": name_told,
    "called": called_told,
    "style": style_told,
    "own name": own_name_told,
    "teacher": teacher_told,
    "native": native_told,
    "match": match_told,
    "death": death_told,
    "conquest": conquests_told,
    "either": either_told,
    "attribute": attribute_told,
    "asked word": asked_word_told,
}
"""Each is true where the question asks for no such thing."""
RULE_NAMES = (*RULES, *CLAIMS)


def objections(analysis: Analysis, texts: Sequence[str], table: NameTable) -> frozenset[str]:
    """Return which of `RULE_NAMES` speak against these texts, best first, as an answer."""
    untold = (name for name, is_told in RULES.items() if not is_told(analysis, texts, table))
    return frozenset([*untold, *claims_untold(analysis, texts, table)])
