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
# What colour is an apple, what time does the bank open: a property is asked of the thing behind the verb.
_PROPERTY = re.compile(
    r"^(?:(?i:please|so|and|but|okay|ok|well|now)\W+)*(?i:what|which)\s+[a-z]+(?:\s+[a-z]+){0,2}?\s+"
    r"(?:is|are|was|were|has|have|can|will|would|should|do|does|did)\s+"
    r"(?=(?:the|an?|my|our|your)\s|[A-Z]|[a-z]+(?<!s)s$)"
)
_DONE = re.compile(r"\b(?:do|does|did)\s+(?:the|an?|my|our|your)\s+(?P<rest>\w+(?:\s+\w+){1,3})$", re.IGNORECASE)
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
# And bananas? What about the cherry? They ask what was asked before, of another thing.
_ANOTHER = re.compile(
    r"\W*(?:(?:so|but|ok|okay|well|now|then)\W+)*(?:and\s+)?(?:(?:what|how)\s+about|(?<=and\s))\s*"
    r"(?P<thing>[^\s?!][^?!]*?)\W*",
    re.IGNORECASE,
)
_NO_THING_WORDS = (
    "what who whom whose where when why how which do does did is are was were can could will would should has have had "
    "then now later next finally again also yes no not before after since until if because"
)
_NO_THING = frozenset(_NO_THING_WORDS.split())


def another_thing(question: str) -> str | None:
    """Return the thing that a question without a verb of its own names: And bananas? None for any other question."""
    found = _ANOTHER.fullmatch(question)
    if found is None or found["thing"].split()[0].lower() in _NO_THING:
        return None
    text = _DETERMINER.sub("", found["thing"])
    return text if is_topic(text) else None


def phrase(question: str) -> str | None:
    """Return the noun phrase of a question, None where it has none: What is throat cancer? gives throat cancer."""
    text = question.strip().rstrip("?.! ")
    of, done = _OF.search(text), _DONE.search(text)
    if another := another_thing(question):
        return another
    text = of[1] if of else _LEAD.sub("", _PROPERTY.sub("", text) + " ").strip()
    for pattern in (_ACTOR, _INFINITIVE, _VERB):
        text = pattern.sub("", text)
    text = _DETERMINER.sub("", text).strip()
    named = _STOP.sub("", text).strip(" ,;")
    if done and not of and named == done["rest"]:  # its last word is the verb: the bank open
        named = named.rsplit(" ", 1)[0]
    return named if is_topic(named) else None


def is_topic(text: str) -> bool:
    """Tell whether a phrase names something by itself."""
    words = text.split()
    if not 1 <= len(words) <= MOST_WORDS or _POINTING.search(text) or _ADRIFT.match(text):
        return False
    return not all(word.lower() in _EMPTY for word in words)
