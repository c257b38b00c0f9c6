"""Choosing what an anaphor stands for."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.cues import cue, parallel
from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.standing import Marks
from wenmai.minds.offline.weighing import weighed
from wenmai.minds.offline.wording import plain

UNKNOWN_GENDER_COST = 30.0
FEMININE_NAME_COST = 12.0


def person(discourse: Discourse, anaphor: Anaphor, taken: set[str], context: str) -> str | None:
    """Return the most salient person that a singular pronoun may stand for."""
    scored = [
        (
            one.score - _gender_cost(one, anaphor.female) + (parallel(discourse, one) if anaphor.governed else 0.0),
            one,
        )
        for one in discourse.people()
        if one.name not in taken
        and gender_fits(one, anaphor.female)
        and not _described_otherwise(discourse, one, context)
    ]
    if anaphor.female and not any(one.female for _, one in scored):
        return _female_noun(discourse) or best_of(scored)
    if anaphor.female and not _women_spoken_of(discourse) and (noun := _female_noun(discourse)):
        return noun
    women = [pair for pair in scored if pair[1].female and _spoken_of(discourse, pair[1])] if anaphor.female else []
    able = women or scored
    marks = {one.name: Marks(cued=cue(discourse, one, context)) for _, one in able}
    return best_of(weighed(discourse, able, anaphor.start, marks))


def _spoken_of(discourse: Discourse, one: Referent) -> bool:
    """Tell whether a question or an answer's own words name somebody, not a quotation alone."""
    return any(
        person.name == one.name for view in discourse.turns for person in (*view.question.people(), *view.answerers())
    )


def _women_spoken_of(discourse: Discourse) -> bool:
    return any(one.female and _spoken_of(discourse, one) for one in discourse.people())


_HIS_WOMAN = re.compile(
    "(?:的|之)?(妻子|妻(?![弟兄舅])|夫人|老婆|媳妇|母亲|老母|女儿|姐姐|妹妹|妾|嫂嫂|嫂子|岳母|祖母|奶奶)"
)


def _female_noun(discourse: Discourse) -> str | None:
    """Return a woman whom the last turns call by a noun only: 女王, 女妖精, 吴押狱的妻子."""
    for view in discourse.turns[:1]:
        for reading in (view.answer, view.question):
            for owner in reading.people():
                found = _HIS_WOMAN.match(reading.text, owner.end)
                if found and all(one.start != found.end() for one in reading.people()):
                    return f"{plain(owner.name)}的{found[1]}"
    for view in discourse.turns[:2]:
        for reading in (view.answer, view.question):
            for word in reading.words:
                if (
                    len(word.text) > 1
                    and word.tag.startswith("n")
                    and re.fullmatch(r"女[^儿人的]+|.*公主|皇后|老太太|妇人|少女", word.text)
                ):
                    return word.text
    return None


def best_of(scored: list[tuple[float, Referent]]) -> str | None:
    """Return the name with the best score, the newer on ties."""
    ranked = sorted(scored, key=lambda pair: (-pair[0], pair[1].age, pair[1].name))
    return ranked[0][1].name if ranked else None


def gender_fits(one: Referent, female: bool | None) -> bool:
    """Tell whether nothing speaks against a gender."""
    return female is None or one.female is None or one.female == female


def _gender_cost(one: Referent, female: bool | None) -> float:
    if not female or one.female is not None:
        return 0.0
    return FEMININE_NAME_COST if phrases.FEMININE.search(one.name[1:]) else UNKNOWN_GENDER_COST


def _described_otherwise(discourse: Discourse, one: Referent, context: str) -> bool:
    """Somebody whom the question calls by the noun that was asked for (接过孩子) is not its pronoun too."""
    view = discourse.turns[0] if discourse.turns else None
    return bool(view and len(view.head) > 1 and one.name in view.focus and f"{view.head}" in context)
