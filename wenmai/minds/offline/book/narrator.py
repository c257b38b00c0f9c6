"""Who tells the story: a narrator who says "I" outside of quotations, by name where the text has it."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from nodes.roles import PlanRequest
from state.context import Language
from tools.story.linking import NameTable
from wenmai.language.narration import is_first_person, narrated, pronoun_spans
from wenmai.language.sentences import sentence_spans
from wenmai.minds.offline.book.central import Numbered, Told, sentences_of, shortened
from wenmai.minds.offline.book.people import balanced, numbered_by
from wenmai.minds.offline.questions.question import Question

NAMES_SELF = (
    r"我(?:的名字)?(?:就?[叫是]|姓|名叫|叫[做作]){n}(?=[，。！？；、…”」\s]|$)",
    r"\b(?:[Mm]y name(?:['’]s| is| was)|I(?:['’]m| am| was)(?: called| named)?|[Cc]all(?:ed)? me|I,) {n}"
    r"(?=[,.;:!?—–-]| (?:and|but)\b|$)",
)
"""How somebody tells their own name; it ends the clause."""
IS_ADDRESSED = r"[“‘「『\"']{n}[，,！!？?。.…—]|[，,]\s*{n}[。！？.!?…]+[”’」』\"']"
"""A quotation that begins or ends with the name of the one who is spoken to."""
SAYS_I = re.compile(r"我(?:回答|[答说道])|\bI (?:said|answered|replied|told|explained)\b|\bsaid I\b")
TO_ME = re.compile(
    r"[对向跟问叫]我(?!们)|我(?:对|跟)自己|我[爸妈爹娘哥姐弟妹爷奶父母]"
    r"|\b(?:to|told|asked|telling|asking) (?:me|myself)\b|\b(?:said|asked|cried|exclaimed|inquired|remarked) my\b"
)
"""What tells who is spoken to, or that one of the narrator's family speaks."""
CLOSING = "”’」』\"'"
SPEAKER = 12
"""Characters behind a quotation that may tell who speaks it."""
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
    numbered = enumerate(request.evidence, 1)
    own = [(n, piece) for n, piece in numbered if piece["kind"] == "passage" and piece["library"] == request.library]
    if named := _named(own, table):
        name, told = named
        return FIRST_PERSON[language].format(name=name, sentence=_shown([told]))
    saying = [one for one in sentences_of(opened) if pronoun_spans(narrated(one.text))]
    return UNNAMED[language].format(sentence=_shown(saying[:1]))


def _shown(told: Sequence[Told]) -> str:
    return f"{balanced(told[0].text)} [E{told[0].number}]" if told else ""


def _named(pieces: Sequence[Numbered], table: NameTable) -> tuple[str, Told] | None:
    """Return the narrator by the name that most sentences show to be theirs, with the first of these."""
    shown: dict[str, list[Told]] = defaultdict(list)
    for number, piece in pieces:
        text, told = piece["text"], narrated(piece["text"])
        for start, end in sentence_spans(text):
            behind = SPEAKER if text[end - 1] in CLOSING else 0
            for name in _own_names(text[start:end], told[start : end + behind], table):
                shown[name].append(Told(number, shortened(text[start:end])))
    best = max(shown, key=lambda name: len(shown[name]), default=None)
    return (best, shown[best][0]) if best else None


def _own_names(sentence: str, told: str, table: NameTable) -> set[str]:
    """Return who a sentence shows to be the narrator; `told` is what of it, and of words behind it, is not quoted."""
    said, to_me, found = sentence if SAYS_I.search(told) else told, TO_ME.search(told), set()
    for mention in table.find(sentence):
        name = re.escape(mention.text)
        is_own = any(re.search(pattern.format(n=name), said) for pattern in NAMES_SELF)
        if mention.entity and (is_own or (to_me and re.search(IS_ADDRESSED.format(n=name), sentence))):
            found.add(mention.entity)
    return found
