"""What small talk is answered with (LOP-07)."""

import re

from nodes.prompts.chinese import Text

THANKS = re.compile(r"谢|感谢|辛苦|thank|cheers", re.IGNORECASE)
FAREWELL = re.compile(r"再见|拜拜|回见|回头见|下次见|明天见|晚安|bye|see you|good night", re.IGNORECASE)


def reply_to(question: str) -> Text:
    """Return which reply fits: to thanks, to a farewell, else to a greeting."""
    if FAREWELL.search(question):
        return "farewell"
    return "thanks" if THANKS.search(question) else "greeting"
