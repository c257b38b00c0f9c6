"""What a draft has that nobody asked for: addresses, code, and orders that some text gave."""

import re
from collections.abc import Sequence

from nodes.checking.grounds import Ground
from nodes.checking.statements import sentences_of
from nodes.checking.wordings import ADDRESS, ASKS_ADDRESS, ASKS_CODE, FENCE, MARKUP, SENDS

_TRACES = re.compile(r"[（(]\s*[)）]|[:：]\s*(?=[。.；;）)]|$)")
_TARGET = re.compile(r"\]\(\s*([^)\s]*)")


def without_code(draft: str, question: str, material: str) -> tuple[str, list[str]]:
    """Return a draft without code and markup, and what was taken; what was asked for and the material has stays.

    A fenced block stays where code was asked for, or where the material has it.
    """
    asked, taken, parts = bool(ASKS_CODE.search(question)), list[str](), list[str]()
    last = 0
    for block in FENCE.finditer(draft):
        parts.append(_without_markup(draft[last : block.start()], question, material if asked else "", taken))
        inner = block[0].strip("`\n ")
        body = inner.partition("\n")[2].strip()
        if asked or inner in material or (body and body in material):
            parts.append(block[0])
        else:
            taken.append(block[0].strip())
        last = block.end()
    return "".join([*parts, _without_markup(draft[last:], question, material if asked else "", taken)]), taken


def _without_markup(text: str, question: str, material: str, taken: list[str]) -> str:
    """Return a text without tags, also those that only show when others are gone; add them to what was taken."""

    def removed(match: re.Match[str]) -> str:
        if match[0] in question or match[0] in material:
            return match[0]
        taken.append(match[0].strip())
        return ""

    while (left := MARKUP.sub(removed, text)) != text:
        text = left
    return text


def addresses_in(sentence: str, question: str, cited: Sequence[Ground]) -> list[str]:
    """Return the addresses of a sentence that neither the question has nor, asked for, a piece that it cites."""
    is_asked = ASKS_ADDRESS.search(question) is not None
    found = [match[0] for match in ADDRESS.finditer(sentence)]
    return [one for one in found if not _stays(one, question, cited if is_asked else ())]


def _stays(address: str, question: str, cited: Sequence[Ground]) -> bool:
    if address.startswith("!"):
        return False
    target = _TARGET.search(address)
    plain = (target[1] if target else address).strip("<>").casefold()
    return bool(plain) and (_names(question, plain) or any(_gives(ground.text, plain) for ground in cited))


def _gives(text: str, address: str) -> bool:
    """Return True if a sentence of a text has an address without sending its reader there."""
    sentences = (one["text"].strip() for one in sentences_of(text, ()))
    return any(_names(one, address) and not SENDS.search(ADDRESS.sub("", one)) for one in sentences)


def _names(text: str, address: str) -> bool:
    """Return True if a text has an address whole, not as part of a longer one."""
    return any(match[0].strip("<>").casefold().rstrip("/.") == address.rstrip("/.") for match in ADDRESS.finditer(text))


def without(sentence: str, addresses: list[str]) -> str:
    """Return a sentence without addresses and the brackets that they leave empty."""
    for one in addresses:
        sentence = sentence.replace(one, "")
    return _TRACES.sub("", sentence)
