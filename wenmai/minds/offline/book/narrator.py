"""Who tells the story: a narrator who says "I" outside of quotations, by name where the text has it."""

import re
from collections.abc import Mapping, Sequence

from nodes.roles import PlanRequest
from state.context import Language
from tools.language import HAN
from tools.story.linking import NameTable
from wenmai.language.sentences import sentence_spans
from wenmai.minds.offline.book.central import Numbered, Told, sentences_of, shortened
from wenmai.minds.offline.book.people import balanced, numbered_by
from wenmai.minds.offline.questions.question import Question

CHINESE_SHARE, ENGLISH_SHARE = 0.004, 0.012
"""First-person pronouns among the characters (Chinese) or words (English) outside of quotations, from which on
the narrator is part of the story."""
QUOTED = re.compile(
    r"“[^”]*”?|「[^」]*」?|『[^』]*』?|\"[^\"]*\"?|(?<!\w)['‘](?=\w)(?:(?!\n\s*\n).)*?[.,!?…-]['’](?!\w)",
    re.DOTALL,
)
CHINESE_I = re.compile(r"[我吾俺余](?!们的?国)")
ENGLISH_I = re.compile(r"\b(?:I|me|my|myself)\b")
SELF_NAMED = (
    r"我(?:的名字)?(?:[叫是姓]|就是|名叫|名字叫|叫做)(?:[^，。！？“”]{{0,4}})({n})",
    r"\b(?:[Mm]y name(?:'s| is| was)|I(?:'m| am| was)(?: called| named)?|[Cc]all(?:ed)? me|I,) ({n})\b",
    r"[‘'“\"]({n}),[’'”\"] I (?:kept )?(?:told|telling|tell|said to|asked) (?:to )?myself\b",
    r"[\s,“‘'\"]({n})[?!.,][’'”\"],? (?:said|asked|cried|exclaimed|inquired|remarked) my\b",
    r"[“「]({n})[，,！!？?。][^”」]*[”」](?:我[爸妈爹娘哥姐弟妹爷奶父母]|.{{1,6}}对我)",
)
SPEAKER = 12
"""Characters behind a sentence that may tell who speaks it."""
UNQUOTED = 2
"""So many of these patterns stand outside of quotations."""
FIRST_PERSON: Mapping[Language, str] = {
    "zh": "故事由书中人物{name}以第一人称讲述：{sentence}",
    "en": "The story is told in the first person by {name}: {sentence}",
}
UNNAMED: Mapping[Language, str] = {
    "zh": "故事由书中的“我”以第一人称讲述，查到的段落没有说出“我”的名字：{sentence}",
    "en": "The story is told in the first person by a narrator whose name these passages do not tell: {sentence}",
}
THIRD_PERSON: Mapping[Language, str] = {
    "zh": "故事以第三人称讲述，叙述者不是书中人物：{sentence}",
    "en": "The story is told in the third person by a narrator outside of it: {sentence}",
}


def narrator_told(request: PlanRequest, question: Question, table: NameTable) -> str:
    """Return who tells the story, with a sentence that shows it; '' where nothing was found."""
    opened = numbered_by(request, "read_chapters")
    if not opened:
        return ""
    language = request.language
    if not is_first_person([piece["text"] for _, piece in opened]):
        return THIRD_PERSON[language].format(sentence=_shown(sentences_of(opened[:1])[:1]))
    every = [(n, piece) for n, piece in enumerate(request.evidence, 1)]
    if named := _named(every, table):
        name, told = named
        return FIRST_PERSON[language].format(name=name, sentence=_shown([told]))
    saying = [one for one in sentences_of(opened) if pronouns(narrated(one.text))]
    return UNNAMED[language].format(sentence=_shown(saying[:1]))


def _shown(told: Sequence[Told]) -> str:
    return f"{balanced(told[0].text)} [E{told[0].number}]" if told else ""


def pronouns(text: str) -> int:
    """Return how many first-person pronouns a text has."""
    return len((CHINESE_I if HAN.search(text) else ENGLISH_I).findall(text))


def narrated(text: str) -> str:
    """Return a text with blanks in place of quotations, of the same length."""
    return QUOTED.sub(lambda match: " " * len(match[0]), text)


def is_first_person(texts: Sequence[str]) -> bool:
    """Return True if the narrator of passages says "I": speech is left out."""
    told = "\n".join(narrated(text) for text in texts)
    is_chinese = bool(HAN.search(told))
    size = len("".join(told.split())) if is_chinese else len(told.split())
    return bool(size) and pronouns(told) / size >= (CHINESE_SHARE if is_chinese else ENGLISH_SHARE)


def _named(pieces: Sequence[Numbered], table: NameTable) -> tuple[str, Told] | None:
    """Return the narrator by the name that they give themselves, or are called by, with the sentence."""
    for number, piece in pieces:
        text, told = piece["text"], narrated(piece["text"])
        for start, end in sentence_spans(text):
            if name := _self_named(text[start : end + SPEAKER], told[start:end], table):
                return name, Told(number, shortened(text[start:end]))
    return None


def _self_named(sentence: str, told: str, table: NameTable) -> str | None:
    """Return the person who is shown to be the narrator by a sentence.

    Args:
        sentence: with the words behind it, which may tell who speaks.
        told: what of it is no quotation.
        table: the names.
    """
    for mention in table.find(sentence):
        patterns = [pattern.format(n=re.escape(mention.text)) for pattern in SELF_NAMED]
        is_own = any(re.search(pattern, told) for pattern in patterns[:UNQUOTED])
        if mention.entity and (is_own or any(re.search(pattern, sentence) for pattern in patterns[UNQUOTED:])):
            return mention.entity
    return None
