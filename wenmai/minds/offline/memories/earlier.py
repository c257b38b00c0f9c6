"""Whether a question is about earlier talk (memory.md §1): what the user said or decided, not what a story tells."""

import re

from wenmai.minds.offline.questions.speech import unquoted

ASKS = re.compile(
    r"[?？吗呢]|什么|谁|哪|怎么|如何|为什么|几个?|多少|^(?:who|what|where|when|why|how|which|do|does|did|is|are|can)\b",
    re.IGNORECASE,
)
_PAST = "之前|以前|上次|上回|那次|那天|昨天|前天|上周|上个?月|早先|刚才"
_EARLIER = re.compile(
    rf"按照?我(?!们?国)|照我(?!们?国)[^，。？]{{0,6}}[说的]|像我[^，。？]{{0,4}}说|"
    rf"我们?(?:(?:{_PAST})(?:[聊说谈提问](?:过|了|到)?)?|告诉过?你|跟你|和你|让你|叫你|问过|提过|说过|聊过)|"
    rf"(?:{_PAST})(?:我|咱|你|说|聊|谈|讨论|提|问|告诉|答|的(?:那个|配置|方案|设置|结论|约定|话题|问题|回答))|"
    r"(?:你|咱们?)?(?:还|可)?记得(?:我|咱|上次|之前)"
    r"|\b(?:last time|as (?:i|we) (?:told|said|discussed|agreed|mentioned|asked)|(?:i|we) (?:told you|mentioned|said|"
    r"asked|talked|discussed|agreed|decided)|remember (?:when|that|what|my|me|i)|(?:do you|you) remember|"
    r"(?:according to|based on|per) my|previous(?:ly)? (?:conversation|discussed|talk|told|you|we)|"
    r"(?:you|we) (?:told|said|talked|discussed|recommended|suggested)|earlier (?:talk|chat|today|you|we|i))",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"我(?:最|更|不)?(?:喜欢|偏好|习惯|讨厌)|我的(?:偏好|喜好|习惯|口味|设置|配置|名字|生日|职业|工作|要求|约定)|我(?:叫|是谁|住|多大)"
    r"|\bmy (?:preference|preferences|favou?rite|name|birthday|job|settings?|configuration|habits?|plan)\b"
    r"|\b(?:do|did|am|was|should) i\b",
    re.IGNORECASE,
)
"""What users ask of themselves; a statement of this kind asks nothing."""
_NARRATOR = re.compile(
    r"(?:书|小说|故事|作品|原文|[章回节])[里中]面?(?:的我|，?我(?=叫|是谁|住|多大|的(?:名字|生日|职业|工作)))"
    r"|\b(?:am i|my name)\b(?=.*\b(?:book|story|novel)\b)|\b(?:book|story|novel)\b.*\b(?:am i|my name)\b",
    re.IGNORECASE,
)
"""Who tells a book of themselves."""


def leans(*wordings: str) -> bool:
    """Return True if a question, as asked or as resolved, is about earlier talk or the user's own preferences."""
    own = [_NARRATOR.sub(" ", unquoted(one)) for one in wordings]
    return any(_EARLIER.search(one) or (ASKS.search(one) and _OWN.search(one)) for one in own)


def matter(question: str) -> str:
    """Return what a question asks for, without the words about the earlier talk itself."""
    return _EARLIER.sub(" ", question)
