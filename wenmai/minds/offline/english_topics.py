"""The noun phrase that an English question is about: what a pronoun behind it may mean where no name is known."""

import re

MOST_WORDS = 6
_LEAD = re.compile(
    r"^(?:(?:please|so|and|but|okay|ok|well|now|hi|hello)\W+)*(?:what|who|where|when|why|how|which|"
    r"tell me|describe|explain|show me|do|does|did|is|are|was|were|can|could|would|should|will|has|have|had)?"
    r"(?:'s|’s)?"
    r"(?:\s+(?:fast|big|large|long|old|tall|deep|high|heavy|common|likely|important)(?=\s+(?:is|are|was|were)\b))?"
    r"(?:\s+(?:is|are|was|were|do|does|did|can|could|would|should|will|has|have|had|about|me|us|"
    r"more|some|many|much|often|long|there|kinds? of|types? of|kinds?|types?))*\s+",
    re.IGNORECASE,
)
_OF = re.compile(
    r"\b(?:causes?|symptoms?|types?|kinds?|history|purpose|effects?|benefits?|importance|"
    r"meaning|definition|origin|advantages?|examples?|signs?|treatments?|cost|price|use|"
    r"uses|role|risks?|difference) (?:of|for|between) (?:the |an? )?(.+)$",
    re.IGNORECASE,
)
# How do I load a .env file: the file, not the loading.
_ACTOR = re.compile(
    r"^(?:I|you|we|one|people)\s+(?:(?:still|only|also|just|\w+ly)\s+)*[a-z]+\s+(?:to [a-z]+\s+)?", re.I
)
_INFINITIVE = re.compile(r"^to\s+[a-z]+\s+", re.IGNORECASE)
# What causes pancreatic cancer: a verb of the question word stands in front of the noun.
_VERB = re.compile(r"^(?:causes|makes|means|helps|prevents|affects|happens|happen|caused|happened)\b\s*", re.IGNORECASE)
_STOP = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|mean|work|cause|"
    r"help|different|affect|from|compared|used|treated|known|called|when|because|if|so|and|in|install|need|"
    r"fly|run|speak|affected|taxed|related)\b.*$",
    re.IGNORECASE,
)
_DETERMINER = re.compile(
    r"^(?:(?:the|an?|some|any|about|me|more|us|other|main|most|first|best|common|popular)\s+)+", re.IGNORECASE
)
# What refers back or to the speakers is no topic, nor what begins with a preposition, nor a word that any talk has.
_POINTING = re.compile(
    r"\b(?:I|me|my|mine|you|your|we|us|our|he|him|his|she|her|hers|it|its|they|them|their|this|that|these|those|"
    r"there|ones?|else|other|others|same|so)\b",
    re.IGNORECASE,
)
_ADRIFT = re.compile(r"^(?:as|by|aside|in|on|at|for|with|from|to|of|than|like|not|if)\b", re.IGNORECASE)
_EMPTY_WORDS = (
    "popular fast long problem problems concern kind kinds type types term happen happens thing things way ways "
    "difference reason reasons example examples information question answer people yes no much many sure"
)
_EMPTY = frozenset(_EMPTY_WORDS.split())


def phrase(question: str) -> str | None:
    """Return the noun phrase of a question, None where it has none: What is throat cancer? gives throat cancer."""
    text = question.strip().rstrip("?.! ")
    of = _OF.search(text)
    text = of[1] if of else _LEAD.sub("", text + " ").strip()
    for pattern in (_ACTOR, _INFINITIVE, _VERB):
        text = pattern.sub("", text)
    text = _STOP.sub("", _DETERMINER.sub("", text)).strip(" ,;")
    return text if is_topic(text) else None


def is_topic(text: str) -> bool:
    """Tell whether a phrase names something by itself."""
    words = text.split()
    if not 1 <= len(words) <= MOST_WORDS or _POINTING.search(text) or _ADRIFT.match(text):
        return False
    return not all(word.lower() in _EMPTY for word in words)
