"""Does the evidence answer at all? A refusal is better than an unsupported answer (S003-D08).

Evidence is refused at once that is of another chapter, book, event or speech than the one asked for, that does not know
a thing of our age, or says next to nothing of the question; so is what is asked of the world outside. Of the rest rules
tell what speaks against it (`objections`), and trees weigh that with what speaks for it (`doubt`); of an English
question any objection refuses.
"""

import re
from collections.abc import Sequence

from nodes.results.citations import bigrams
from tools.language import HAN
from tools.story.linking import NameTable, fold
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.doubt import doubtful
from wenmai.minds.offline.lexicon import ENGLISH_MODERN_THINGS, MODERN_THINGS
from wenmai.minds.offline.matching import name_patterns
from wenmai.minds.offline.objections import objections
from wenmai.minds.offline.observing import NOBODY, Observer
from wenmai.minds.offline.outsiders import NO_NAME_ENDS
from wenmai.minds.offline.ranker import Ranked

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


def answers(analysis: Analysis, ranked: Sequence[Ranked], table: NameTable, observer: Observer = NOBODY) -> bool:
    """Tell whether the best pieces answer the question."""
    if analysis.is_outline:
        return any(analysis.covers(row.piece["chapter"]) for row in ranked)
    if not admissible(analysis, ranked, table):
        return False
    against = objections(analysis, [row.piece["text"] for row in ranked], table)
    if not HAN.search(analysis.question):  # the trees were fitted on Chinese
        return not against
    return not doubtful(analysis, ranked, table, against, observer)


def admissible(analysis: Analysis, ranked: Sequence[Ranked], table: NameTable) -> bool:
    """Tell whether the pieces are of what is asked at all.

    They are not where they lack its chapter, book, event or speech, a thing of our age, every word of an English
    question, or where it asks of the world outside.
    """
    if not ranked or max(row.coverage for row in ranked) < LEAST_COVERAGE or OUTSIDE.search(analysis.question):
        return False
    texts = [row.piece["text"] for row in ranked]
    known = fold("\n".join(texts))
    if not HAN.search(analysis.question) and not any(fold(word) in known for word in analysis.words or ("",)):
        return False
    if any(thing not in known for thing in modern_things(analysis.question)):
        return False
    if any(event[1] not in known for event in NAMED_EVENT.finditer(analysis.question)):
        return False
    return quoted_told(analysis.question, texts, known) and chapters_told(analysis, ranked, table)


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
