"""Does a question lean on earlier talk (memory.md §1)? What the user said or decided, not what a story tells."""

import re

EARLIER = re.compile(
    r"按照?我(?!们?国)|照我[^，。？]{0,6}[说的]|像我[^，。？]{0,4}说|"
    r"我(?:们)?(?:之前|以前|上次|上回|那次|那天|昨天|前天|上周|上个?月|刚才|曾经?|最喜欢|喜欢|偏好|习惯|常|一直|告诉|跟你|和你|让你|叫你|问过|提过|说过|聊过)|"
    r"(?:之前|以前|上次|上回|昨天|前天|上周|上个?月|早先)(?:我|咱|你|说|聊|谈|讨论|提|问|告诉|答|的(?:那个|配置|方案|设置|结论|约定|话题|问题|回答))|"
    r"(?:你|咱们?)(?:还|可)?记得(?:我|咱|上次|之前)|(?:还|可)?记得我|我的(?:偏好|喜好|习惯|口味|设置|配置|名字|生日|职业|工作|要求|约定)|我(?:叫什么|是谁|住在?哪|多大)",
)
EARLIER_EN = re.compile(
    r"\b(?:last time|as (?:i|we) (?:told|said|discussed|agreed|mentioned|asked)|(?:i|we) (?:told you|mentioned|said|"
    r"asked|talked|discussed|agreed|decided)|remember (?:when|that|what|my|me|i)|(?:do you|you) remember|"
    r"my (?:preference|preferences|favou?rite|name|birthday|job|settings?|configuration|habits?|plan)|"
    r"(?:according to|based on|per) my|previous(?:ly)? (?:conversation|discussed|talk|told|you|we)|"
    r"(?:you|we) (?:told|said|talked|discussed|recommended|suggested)|(?:do|did|am|was|what|where|when|which|who) i\b|"
    r"earlier (?:conversation|talk|chat|today|you|we|i))",
    re.IGNORECASE,
)


def leans(*questions: str) -> bool:
    """Tell whether a question, as asked or as meant, speaks of earlier talk or of the user's own preferences."""
    return any(EARLIER.search(question) or EARLIER_EN.search(question) for question in questions)
