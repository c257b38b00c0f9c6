"""What of a text its narrator says: the part outside of quotations, and whether it says "I"."""

import re
from collections.abc import Sequence

from tools.language import HAN
from wenmai.language.spans import Span

CHINESE_SHARE, ENGLISH_SHARE = 0.004, 0.012
"""First-person pronouns among the characters (Chinese) or words (English) outside of quotations, from which on
the narrator is part of the story."""
QUOTED = re.compile(
    r"“[^”]*”?|「[^」]*」?|『[^』]*』?|\"[^\"]*\"?|(?<!\w)['‘](?=\w)(?:(?!\n\s*\n).)*?[.,!?…-]['’](?!\w)", re.DOTALL
)
CHINESE_I = re.compile(r"[我吾俺余](?!们的?国)")
ENGLISH_I = re.compile(r"\b(?:I|me|my|myself)\b")


def narrated(text: str) -> str:
    """Return a text with blanks in place of quotations, of the same length."""
    return QUOTED.sub(lambda match: " " * len(match[0]), text)


def pronoun_spans(text: str) -> list[Span]:
    """Return where a text says "I"."""
    return [match.span() for match in (CHINESE_I if HAN.search(text) else ENGLISH_I).finditer(text)]


def is_first_person(texts: Sequence[str]) -> bool:
    """Return True if the narrator of texts says "I": speech is left out."""
    told = "\n".join(map(narrated, texts))
    is_chinese = bool(HAN.search(told))
    size = len("".join(told.split())) if is_chinese else len(told.split())
    return bool(size) and len(pronoun_spans(told)) / size >= (CHINESE_SHARE if is_chinese else ENGLISH_SHARE)
