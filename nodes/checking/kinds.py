"""Drafts that state nothing of the material: a question back to the user, words about the assistant, a refusal."""

import re
from collections.abc import Sequence

from nodes.checking.claims import Claim, Material
from nodes.checking.findings import ANSWERABLE, ANSWERED
from nodes.checking.grounds import words_of
from nodes.checking.statements import Statement
from nodes.checking.wordings import ASKS, ASSERTS, TO_USER
from nodes.results.citations import plain_text
from state.draft import Sentence, Status

LONGEST_CLARIFYING = 300
MOST_STATEMENTS = 3
MOST_PIECES = 6
"""Pieces that the reader is asked whether they answer what a draft refuses."""
_OF_ASSISTANT = re.compile(
    r"^请?(?:先|做个?)?(?:自我介绍|介绍一?下?[您你]自己)(?:一下)?"
    r"|^(?:请问|那)?[您你](?:是谁|是(?:做|干)什么的|是什么(?:模型|助手|人工智能|AI|机器人)?|叫什么(?:名字)?|(?:都|还)?(?:能|会|可以|能够)(?:做|干|回答|帮我?做?)?(?:些)?什么(?:问题|事情?)?"
    r"|有(?:什么|哪些)(?:功能|能力|本领)|怎么用|该?怎么使用|(?:用|用的)?是?(?:什么|哪个|哪种)模型|是谁(?:开发|训练|做)的"
    r"|(?:是)?(?:怎么|如何|怎样)(?:工作|检索|(?:找到?|得到|得出|查到|知道|给出)(?:这个|这些)?(?:答案|回答|结果|结论|资料))的?"
    r"|的(?:答案|回答|资料|依据)(?:都?是)?(?:从|在)?(?:哪里|哪儿|何处)(?:来|找到?|得到)?的?)"
    r"|^(?:so )?(?:who|what) are you\b|^what(?:'s| is) your name\b|^what (?:all )?can you (?:do|answer|help)"
    r"|^how (?:do|did) you (?:work|search|(?:find|get|know) (?:the|this|that|these|your) (?:answers?|results?))"
    r"|^how (?:do|can|should) i use you\b|^are you (?:an? )?(?:ai|bot|human|robot|machine|model)\b",
    re.IGNORECASE,
)
_GREETS = re.compile(
    r"^(?:[您你]好|嗨|哈[喽啰]|[早晚]上好|下午好|(?:hi|hello|hey)\b)[呀啊，,。.！!～~\s]*", re.IGNORECASE
)


def kind_of(sentences: Sequence[Sentence], question: str) -> Status:
    """Return what a model's draft is: words about the assistant only where the whole question is about it.

    A question back to the user is nothing else: where it also states something, the draft is an answer.
    """
    texts = [one["text"].strip() for one in sentences if one["text"].strip()]
    if not texts or any(one["marks"] for one in sentences):
        return "answer"
    if is_about_assistant(question):
        return "chat"
    whole = plain_text(sentences)
    is_short = len(texts) <= MOST_STATEMENTS and len(whole) <= LONGEST_CLARIFYING
    is_asked = all(ASKS.search(one) and not ASSERTS.search(one) for one in texts)
    return "clarify" if is_short and is_asked and TO_USER.search(whole) else "answer"


def is_about_assistant(question: str) -> bool:
    """Return True if a question asks who or what the assistant is, or what it can do."""
    asked = _GREETS.sub("", question.strip())
    found = _OF_ASSISTANT.search(asked)
    return found is not None and len(asked[found.end() :]) <= len("呢？ please?")


def refuses(statements: Sequence[Statement], material: Material) -> bool:
    """Return True if a draft only says that the material does not answer."""
    claims = [Claim(one, material) for one in statements if one.sentence]
    stating = [one for one in claims if not one.is_question]
    return bool(stating) and all(one.is_refusal and not one.statement.marks for one in stating)


def answering(question: str, material: Material) -> list[str]:
    """Return the ids of the evidence that seems to answer a question; without a reader none does."""
    reader, words = material.reader, words_of(question)
    if reader is None:
        return []
    ranked = sorted(material.grounds, key=lambda ground: -ground.share(words))[:MOST_PIECES]
    found = [(ground, reader.answer(question, ground, words)) for ground in ranked]
    return [
        ground.piece["id"]
        for ground, best in found
        if best and best.margin >= ANSWERED and best.answerable >= ANSWERABLE
    ]
