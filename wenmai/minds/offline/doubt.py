"""Whether evidence answers (S003-D08): trees tell, fitted on questions.

They weigh how much of the question stands together in two sentences, what of it stands nowhere, its form, which rules
speak against the evidence (`objections`), and how often stories tell what is asked so (`phrasing`). What they were
fitted on is evidence that has the answer of its question, and evidence of questions that have none.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, get_args

from tools.story.linking import NameTable
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline.analysis import Analysis, Kind
from wenmai.minds.offline.lexicon import ASPECT_CUES, ASPECTS
from wenmai.minds.offline.matching import terms_of
from wenmai.minds.offline.objections import RULE_NAMES
from wenmai.minds.offline.observing import NOBODY, Observer
from wenmai.minds.offline.phrasing import log_odds, piece_weights, pieces
from wenmai.minds.offline.ranker import Ranked
from wenmai.minds.offline.said import Said
from wenmai.minds.offline.trees import loaded

TREES = "doubt.json"
"""Fitted as `benchmarks.refusals` does, on 7,520 questions in 64 files on three novels, half of them unanswerable."""
LEAST = -0.75
"""Log-odds above which evidence answers. Of the levels of `benchmarks/figures/refusals.json` the highest at which the
sample story, on which nothing was fitted, loses no more answers than to rules that each refused by itself."""
BEST = 5  # pieces between which the score falls
_KINDS: tuple[str, ...] = get_args(Kind)
_ASPECTS = tuple(name for name, _ in ASPECTS)
_FORMS = tuple(
    re.compile(pattern)
    for pattern in ("什么|啥", "哪", "叫什么|叫啥|名字|姓什么|姓甚|谁家", "多少|几", "怎么|怎样|如何|咋", "被|让|叫")
)
_ASKS_NAME = re.compile("叫(?:个?什么|啥)|名字|姓名|闺名|名号|姓(?:什么|甚|啥)|各叫|分别(?:是|叫)")
_NAMING = re.compile("(?:名|号|唤|称|姓|字|曰|叫|谓|乃)(?:曰|唤|作|做|为|叫)?[“‘「]?[\u4e00-\u9fff]")


class Asked(NamedTuple):
    """What a question is like.

    Attributes:
        length: in characters.
        people: how many persons it names.
        words: content words beside the names, `nouns` how many nouns.
        kind: place of its type among all, `aspect` of what is asked for, -1 for none.
    """

    length: float
    people: float
    words: float
    nouns: float
    kind: float
    aspect: float


class Told(NamedTuple):
    """What the evidence says of a question; shares are 0..1.

    Attributes:
        pieces: how many there are.
        score: of the best one, `fall` how far the fifth is below it.
        coverage: of the best one in that, `coverage3` the mean of the best three.
        nearest: the largest cosine of a passage to what it was searched with, `nearest3` the mean of three.
        said: the largest share of the words that two sentences have, `said_with` that have all names too.
        pairs: the largest share of the question's pairs of characters, `pairs_with` beside all names.
        both: the largest product of the shares of names and words.
        nouns_with: the largest share of the nouns beside all names, `verbs_with` of the verbs, -1 for none;
            `verbs_any` wherever it is.
        unsaid: the share of the words that stand nowhere, `unsaid_with` that stand nowhere beside a name.
        at: place of the piece of the best two sentences, -1 without any.
        focused: the largest share of the words beside all names and the focus.
        apart: characters between the focus and a name, where they are nearest.
        cue: whether the best two sentences have what an answer of this kind has.
        others: how many persons they name whom the question does not.
        named: where a name is asked for, whether one is given beside the question's names (2), anywhere (1); else -1.
    """

    pieces: float
    score: float
    fall: float
    coverage: float
    coverage3: float
    nearest: float
    nearest3: float
    said: float
    said_with: float
    pairs: float
    pairs_with: float
    both: float
    nouns_with: float
    verbs_with: float
    verbs_any: float
    unsaid: float
    unsaid_with: float
    at: float
    focused: float
    apart: float
    cue: float
    others: float
    named: float


COLUMNS = (*Asked._fields, *(pattern.pattern for pattern in _FORMS), *Told._fields, *RULE_NAMES, "objections")
"""Of a row. Of the rules the trees split on the commonest alone; the others count in the number of objections."""
TREE_COLUMNS = (*COLUMNS, "phrasing")


def doubtful(
    analysis: Analysis,
    ranked: Sequence[Ranked],
    table: NameTable,
    against: Collection[str],
    observer: Observer = NOBODY,
    least: float = LEAST,
) -> bool:
    """Tell whether evidence that rules speak `against` more likely has no answer to a Chinese question."""
    row, phrased = row_of(analysis, ranked, table, against), pieces(analysis)
    observer.doubts(row, phrased, [one.piece["text"] for one in ranked])
    if observer.is_trusting:
        return False
    return loaded(TREES).scores([full_row(row, log_odds(phrased, piece_weights()))])[0] <= least


def full_row(row: Sequence[float], likely: float) -> list[float]:
    """Return the row of `TREE_COLUMNS` of a row and the log-odds that stories tell what is asked so."""
    return [*row, likely]


def row_of(analysis: Analysis, ranked: Sequence[Ranked], table: NameTable, against: Collection[str]) -> list[float]:
    """Return the row of `COLUMNS` of a question and its evidence, best first, that some rules speak `against`."""
    forms = (float(pattern.search(analysis.plain) is not None) for pattern in _FORMS)
    tagged = segmenter().tag(analysis.plain, False)
    objected = (*(float(name in against) for name in RULE_NAMES), float(len(against)))
    return [*asked(analysis, table, tagged), *forms, *told(analysis, ranked, table, dict(tagged)), *objected]


def asked(analysis: Analysis, table: NameTable, tagged: Sequence[tuple[str, str]]) -> Asked:
    """Return what a question is like."""
    return Asked(
        length=len(analysis.question),
        people=sum(table.kind(name) == "Character" for name in analysis.entities),
        words=len(analysis.words),
        nouns=sum(tag[:1] == "n" for _, tag in tagged),
        kind=_KINDS.index(analysis.kind),
        aspect=_ASPECTS.index(analysis.aspect) if analysis.aspect else -1,
    )


def told(analysis: Analysis, ranked: Sequence[Ranked], table: NameTable, tags: Mapping[str, str]) -> Told:
    """Return what the evidence says of a question."""
    said = Said.of(analysis, terms_of(analysis, table), ranked)
    nouns, verbs = ([word for word in said.words if tags.get(word.key, "")[:1] == sort] for sort in "nv")
    every, full = said.windows, said.with_names()
    some = [window for window in every if window.names]
    best = max(every, key=lambda one: (one.names * one.said + one.pairs, -one.rank), default=None)
    text = best.text if best else ""
    people = {m.entity for m in table.find(text) if m.entity and table.kind(m.entity) == "Character"}
    cue = ASPECT_CUES.get(analysis.aspect or "")
    scores = [row.score for row in ranked[:BEST]]
    covers = sorted((row.coverage for row in ranked), reverse=True)
    cosines = sorted((row.piece["score"] or 0.0 for row in ranked if row.piece["kind"] == "passage"), reverse=True)
    return Told(
        pieces=len(ranked),
        score=scores[0],
        fall=scores[0] - scores[-1],
        coverage=covers[0],
        coverage3=sum(covers[:3]) / 3,
        nearest=max(cosines, default=0.0),
        nearest3=sum(cosines[:3]) / 3,
        said=max((one.said for one in every), default=0.0),
        said_with=max((one.said for one in full), default=0.0),
        pairs=max((one.pairs for one in every), default=0.0),
        pairs_with=max((one.pairs for one in full), default=0.0),
        both=max((one.names * one.said for one in every), default=0.0),
        nouns_with=said.share(nouns, full),
        verbs_with=said.share(verbs, full),
        verbs_any=said.share(verbs, every),
        unsaid=said.unsaid(every),
        unsaid_with=said.unsaid(some),
        at=best.rank if best else -1,
        focused=max((one.said for one in full if said.focus and said.focus.key in one.words), default=0.0),
        apart=said.apart(),
        cue=float(cue is not None and cue.search(text) is not None),
        others=len(people - set(analysis.entities)),
        named=named(analysis, said),
    )


def named(analysis: Analysis, said: Said) -> float:
    """Return whether a name is given that is asked for."""
    if not _ASKS_NAME.search(analysis.question):
        return -1.0
    given = [window.names for window in said.windows if _NAMING.search(window.text)]
    return 2.0 if any(share >= 1.0 for share in given) else float(bool(given))
