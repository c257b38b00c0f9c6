"""Does the evidence answer at all? A refusal is better than an unsupported answer (S003-D08).

Rules first, each of which refuses: a name that the evidence does not know, a thing of another age, an attribute that no
sentence about the entity tells, a sort, a measure or a name that no text gives, a presupposition that none bears out,
next to nothing of the question anywhere. What they let through is weighed by trees (`doubt`).
"""

import re
from collections.abc import Iterable, Sequence

from nodes.citations import bigrams
from tools.language import HAN
from tools.linking import NameTable, fold
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.claims import claims_hold
from wenmai.minds.offline.details_told import details_told
from wenmai.minds.offline.doubt import doubtful
from wenmai.minds.offline.events_told import events_told
from wenmai.minds.offline.lexicon import ENGLISH_MODERN_THINGS, MODERN_THINGS
from wenmai.minds.offline.matching import is_told, name_patterns, told_together
from wenmai.minds.offline.measures import shape_told
from wenmai.minds.offline.observing import NOBODY, Observer
from wenmai.minds.offline.outsiders import NO_NAME_ENDS, names_outsiders
from wenmai.minds.offline.ranker import Ranked
from wenmai.minds.offline.sorts_told import name_told, sort_told
from wenmai.minds.offline.sought import sought
from wenmai.minds.offline.telling import attribute_proof
from wenmai.minds.offline.words import nominal

NAMED_EVENT = re.compile(r"([\u4e00-\u9fff]{2})之(?:乱|变|盟|役)")
# What is asked of the world outside, not of a story.
OUTSIDE = re.compile(r"(?:今天|今日|现在|明天|明日|昨天|最近).{0,4}(?:天气|气温|几点|几号|星期几|新闻|汇率|股价|热搜)")
LEAST_COVERAGE = 0.01
SPEECH = re.compile(
    r"[“「『]([^“”「」『』]{5,})[”」』]"
)  # shorter ones are names and turns of phrase: “一龙”, “草船借箭”
SAID = re.compile("说|讲|喊|话|叹|骂|问|答|出自|吟|唱|念")
SPEECH_SHARE = 0.5  # of the pairs of letters of a speech: it is quoted from memory
TITLE = re.compile(
    "《([^》]{2,20})》(?!里|中|这|一书|小说|第|的作者|[开结]头|结尾|全书)"
)  # of the story itself: 《三国演义》里
SHORT_QUESTION = 2  # content words
PROOF_PIECES = 12  # passages that are searched for an attribute


def answers(analysis: Analysis, ranked: Sequence[Ranked], table: NameTable, observer: Observer = NOBODY) -> bool:
    """Tell whether the best pieces answer the question."""
    if analysis.is_outline:
        return any(analysis.covers(row.piece["chapter"]) for row in ranked)
    words = sought(analysis)
    observer.seeks(words)
    return passes_rules(analysis, ranked, table) and not doubtful(analysis, ranked, table, words, observer)


def passes_rules(analysis: Analysis, ranked: Sequence[Ranked], table: NameTable) -> bool:
    """Tell whether no rule refuses the pieces."""
    if not ranked or max(row.coverage for row in ranked) < LEAST_COVERAGE or OUTSIDE.search(analysis.question):
        return False
    texts = [row.piece["text"] for row in ranked]
    known = fold("\n".join(texts))
    if names_outsiders(analysis, known):
        return False
    if not HAN.search(analysis.question) and not any(fold(word) in known for word in analysis.words or ("",)):
        return False
    if any(thing not in known for thing in modern_things(analysis.question)):
        return False
    if any(event[1] not in known for event in NAMED_EVENT.finditer(analysis.question)):
        return False
    if not quoted_told(analysis.question, texts, known):
        return False
    if not chapters_told(analysis, ranked, table) or not shape_told(analysis, texts, table):
        return False
    if not sort_told(analysis, texts, table) or not name_told(analysis, texts, table):
        return False
    if not details_told(analysis, texts, table) or not events_told(analysis, texts, table):
        return False
    checks = (attribute_told(analysis, texts[:PROOF_PIECES], table), asked_word_told(analysis, texts, table))
    return all(checks) and claims_hold(analysis, texts, table)


def quoted_told(question: str, texts: Sequence[str], known: str) -> bool:
    """Tell whether the texts, folded and joined in `known`, have each book and most of each speech of a question."""
    if any(fold(title) not in known for title in TITLE.findall(question)):
        return False
    speeches = SPEECH.findall(question) if SAID.search(SPEECH.sub("", question)) else []
    told = [bigrams(fold(text)) for text in texts] if speeches else []
    asked = [bigrams(fold(speech)) for speech in speeches]
    return all(any(len(said & heard) >= SPEECH_SHARE * len(said) for heard in told) for said in asked)


def modern_things(question: str) -> list[str]:
    """Return the things of our age that a question asks for."""
    if not HAN.search(question):
        return [word for word in re.findall("[a-z]+", question.lower()) if word in ENGLISH_MODERN_THINGS]
    return [thing for thing in MODERN_THINGS if thing in question]


def chapters_told(analysis: Analysis, ranked: Sequence[Ranked], table: NameTable) -> bool:
    """Tell whether the asked chapters are among the evidence, with every asked name in them."""
    if analysis.chapters is None:
        return True
    told = [row.piece["text"] for row in ranked if analysis.covers(row.piece["chapter"])]
    names = name_patterns([name for name in analysis.entities if name[-1] not in NO_NAME_ENDS], table)
    return bool(told) and all(any(name.search(text) for text in told) for name in names)


def attribute_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether some text says the asked attribute close to the entity that it is asked of.

    Only for questions of one entity (or two joined ones) and nothing else: 华雄的字是什么, 周仓的妻子叫什么.
    """
    proof = attribute_proof(analysis)
    if (
        proof is None
        or len(analysis.entities) != len(subjects(analysis))
        or len(analysis.words) > 3
        or analysis.kind not in ("attribute", "who", "fact")
    ):
        return True
    return any(is_told(proof, name, texts, table) for name in analysis.entities)


def subjects(analysis: Analysis) -> Sequence[str]:
    """Return the one name that a question is of, or the two that it joins as one subject: 孟鹤和孟鸢的父母是谁."""
    joined = len(analysis.spellings) == 2 and re.match(
        rf"(?:请问)?{re.escape(analysis.spellings[0])}[和与跟同、]{re.escape(analysis.spellings[1])}的",
        analysis.question,
    )
    return analysis.spellings if joined else analysis.spellings[:1]


def asked_word_told(analysis: Analysis, texts: Iterable[str], table: NameTable) -> bool:
    """Tell whether any asked word, or another word for it, stands within two sentences of the one entity asked of.

    Only for short questions of an attribute that is a noun (营生, 孩子): what is done a story says in other words.
    """
    short = analysis.kind == "attribute" and len(analysis.entities) == 1 and 0 < len(analysis.words) <= SHORT_QUESTION
    if not short or not all(nominal(word) for word in analysis.words):
        return True
    forms = [form for others in analysis.synonyms.values() for form in others]
    return told_together(analysis.entities, forms, texts, table)
