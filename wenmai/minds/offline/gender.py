"""What a session tells of somebody's gender."""

import re
from collections.abc import Sequence

from wenmai.minds.offline import phrases
from wenmai.minds.offline.turns import TurnView


def gender(name: str, spellings: list[str], turns: Sequence[TurnView]) -> bool | None:
    """Return True for a woman, False for a man, None where names, kinship words and earlier pronouns do not tell."""
    if any(phrases.FEMALE_NAME.search(text.split("[")[0]) for text in spellings if len(text) > 1):
        return True
    for view in turns:
        told = _told(view, name, spellings)
        if told is not None:
            return told
    return None


def _told(view: TurnView, name: str, spellings: list[str]) -> bool | None:
    if name in view.continued and len([n for n in view.continued if n != name]) == 0:
        if "她" in view.asked:
            return True
        if "他" in view.asked:
            return False
    if name in view.focus[:1] and view.head:
        if phrases.FEMALE_NOUN.search(view.head):
            return True
        if phrases.MALE_NOUN.search(view.head):
            return False
    for text in (view.question.text, view.answer.text):
        for spelling in spellings:
            if spelling in text:
                told = _apposed(text, spelling)
                if told is not None:
                    return told
    return None


def _apposed(text: str, spelling: str) -> bool | None:
    at = text.find(spelling)
    before = re.sub(r"(?:是|叫|为|名叫|：)$", "", text[:at])
    for pattern, female in ((phrases.FEMALE_NOUN, True), (phrases.MALE_NOUN, False)):
        if pattern.search(before):
            return female
    after = re.match(r"(?:本|原|就)?是[^，。？]*?([^，。？的]{1,4})(?=[，。？]|$)", text[at + len(spelling) :])
    if after:
        for pattern, female in ((phrases.FEMALE_NOUN, True), (phrases.MALE_NOUN, False)):
            if pattern.search(after[1]):
                return female
    return None
