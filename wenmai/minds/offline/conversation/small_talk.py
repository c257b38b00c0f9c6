"""Greetings, thanks and farewells: what needs no look-up (LOP-07)."""

import re

_ZH = (
    r"(?:你好|您好|大家好|嗨|哈[喽啰罗]|早|早安|早上好|上午好|中午好|下午好|晚上好|晚安|在吗|"
    r"谢谢|谢了|多谢|感谢|非常感谢|十分感谢|太感谢了|辛苦了|再见|拜拜|回头见|回见|明天见|下次见|"
    r"好的|好|嗯|哦|知道了|明白了|了解了|懂了|原来如此|没事了|没有了|没问题了|不用了)"
)
_ZH_TAIL = r"(?:你|您|你们|大家|啦|啊|呀|哦|哈|了|呢|你的帮助|你的回答|您的帮助|您的回答|文脉)*"
_EN = (
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening|night|day)|thanks?(?: you)?(?: so much|"
    r" very much| a lot)?|many thanks|cheers|"
    r"bye|goodbye|good bye|bye bye|see you(?: later| soon| tomorrow)?|ok|okay|great|got it|"
    r"i see|that(?:'s| is) all|how are you|nice to meet you)"
)
_EN_TAIL = r"(?: there| wenmai| all| everyone| again| for your help| for the help| for everything)*"
_BREAK = r"[\s，。！？!?,.~～、…;；]*"
SMALL_TALK = re.compile(rf"{_BREAK}(?:(?:{_ZH}{_ZH_TAIL}|{_EN}{_EN_TAIL}){_BREAK})+", re.IGNORECASE)


def is_small_talk(question: str) -> bool:
    """Return True if the whole question is a greeting, thanks or a farewell."""
    return len(question) <= 60 and SMALL_TALK.fullmatch(question) is not None
