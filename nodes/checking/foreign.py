"""What a draft has that nobody asked for: addresses, code, and orders that some text gave."""

import re

from nodes.checking.wordings import ADDRESS, ASKS_ADDRESS, ASKS_CODE, CODE

_TRACES = re.compile(r"[（(]\s*[)）]|[:：]\s*(?=[。.；;）)]|$)")


def without_code(draft: str, question: str, material: str) -> tuple[str, list[str]]:
    """Return a draft without code and markup, and what was taken; what the material has stays."""
    if ASKS_CODE.search(question):
        return draft, []
    taken: list[str] = []

    def removed(match: re.Match[str]) -> str:
        inner = match[0].strip("`\n ")
        if (inner.partition("\n")[2].strip() in material and "\n" in inner) or inner in material:
            return match[0]
        taken.append(match[0].strip())
        return ""

    return CODE.sub(removed, draft), taken


def addresses_in(sentence: str, question: str, material: str) -> list[str]:
    """Return the addresses of a sentence that were not asked for, or that the material does not have."""
    found = [match[0] for match in ADDRESS.finditer(sentence)]
    is_asked = ASKS_ADDRESS.search(question) is not None
    return [one for one in found if one not in question and not (is_asked and one.strip("<>") in material)]


def without(sentence: str, addresses: list[str]) -> str:
    """Return a sentence without addresses and the brackets that they leave empty."""
    for one in addresses:
        sentence = sentence.replace(one, "")
    return _TRACES.sub("", sentence)
