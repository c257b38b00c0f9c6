"""Which instances a question in a talk is about: named, quoted by value, said last, and able to answer."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from state.session import Session
from tools.networks.lexicon import Known, Lexicon, forms
from tools.networks.words import blanked
from tools.story.names import Mention
from wenmai.minds.offline.networks.asking import PERSON, THING, TOLD, asks_for, is_person, kinds_meant

MESSAGES = 14  # of a talk are looked at
GRAM = 4  # characters that a message and a value must share to be about the same
FULL_QUOTE = 10  # characters shared from which a message surely speaks of an instance
FULL_NAME = 3  # characters of a name from which it is no chance
LEAST = 0.02
MOST_ASKED = 3.0
READ = 200  # characters of an earlier answer


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusWeights:
    """Weights chosen on one half of a development set of talks, checked on the other; small changes matter little."""

    decay: float = 0.75
    named: float = 1.6
    quoted: float = 0.6
    by_value: float = 0.5
    inside_quote: float = 0.25
    again: float = 0.2
    shared_name: float = 0.5
    on_stack: float = 0.1
    asked: float = 0.35
    said: float = 1.0
    gender: float = 0.6
    kind: float = 0.6


WEIGHTS = FocusWeights()


@dataclass(frozen=True, slots=True)
class Focus:
    """An instance that a question may be about; `named`: the question itself says so."""

    known: Known
    score: float
    named: bool = False


@dataclass(slots=True)
class Talk:
    """What has been said, as far as it concerns the network: how present each instance is, which values were told."""

    lexicon: Lexicon
    weights: FocusWeights = WEIGHTS
    present: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    instances: dict[int, Known] = field(default_factory=dict)
    told: set[tuple[int, str]] = field(default_factory=set)

    def fade(self) -> None:
        """Let one message pass."""
        for key in self.present:
            self.present[key] *= self.weights.decay

    def meet(self, known: Known) -> int:
        """Return the key of an instance."""
        self.instances[id(known)] = known
        return id(known)

    def hear(self, message: str) -> None:
        """Take in one message: the instances it names, and those whose values it quotes."""
        self.fade()
        for one, worth in self.lexicon.valued(message):
            key = self.meet(one)
            self.present[key] = max(self.present[key], self.weights.by_value * worth)
        mentions = self.lexicon.table.find(message)
        named = {self.meet(one) for mention in mentions for one in meant(mention, self.lexicon)}
        quotes = self.quotes(message, named)
        most = max((sum(quote) for quote in quotes.values()), default=0)
        for key, quote in quotes.items():
            share = sum(quote) / most * min(1.0, sum(quote) / FULL_QUOTE)
            self.present[key] += self.weights.quoted * share
        for mention in mentions:
            keys = {id(one) for one in meant(mention, self.lexicon)}
            span = slice(mention.start, mention.end)
            inside = any(all(quote[span]) for key, quote in quotes.items() if key not in keys)
            worth = presence(mention, len(keys)) * (self.weights.inside_quote if inside else 1.0)
            for key in keys:
                before = self.present[key]
                self.present[key] = max(before, worth) + self.weights.again * min(before, worth)

    def quotes(self, message: str, named: set[int]) -> dict[int, list[bool]]:
        """Return which characters of a message are an instance's own values; names of instances are none."""
        keys = [key for key in {*self.present, *named} if self.present.get(key, 0.0) > 0 or key in named]
        names = [form for key in keys for form in (self.instances[key].name, *forms(self.instances[key].name))]
        found = {}
        for key in keys:
            one = self.instances[key]
            quote = shared(message, one.text, names)
            if any(quote):
                found[key] = quote
            for label, held in one.values.items():
                if any(value in message for value in held if value not in self.lexicon.by_name):
                    self.told.add((key, label))
        return found

    def asked(self, question: str) -> list[Focus]:
        """Return the instances that a question may be about, likeliest first."""
        self.fade()
        mentions = self.lexicon.table.find(question)
        named: set[int] = set()
        for mention in mentions:
            for one in (known := meant(mention, self.lexicon)):
                key = self.meet(one)
                named.add(key)
                worth = self.weights.named * presence(mention, len(known))
                self.present[key] = max(self.present[key], worth) + self.weights.again * self.present[key]
        plain = blanked(question, mentions)
        found = [
            Focus(self.instances[key], worth + self.fitness(key, plain), key in named)
            for key, worth in self.present.items()
            if worth >= LEAST
        ]
        return sorted(found, key=lambda one: (-one.score, one.known.name, one.known.id))

    def fitness(self, key: int, question: str) -> float:
        """Return how well an instance fits what is asked: its labels, what was told already, its kind."""
        known, weights = self.instances[key], self.weights
        labels = known.labels
        asked = max(
            (
                asks_for(question, label) - weights.said * ((key, label) in self.told)
                for label in labels
                if not TOLD.search(label)
            ),
            default=0.0,
        )
        fit = weights.asked * min(max(asked, 0.0), MOST_ASKED)
        person, thing = bool(PERSON.search(question)), bool(THING.search(question))
        if person != thing and is_person(labels) == person:
            fit += weights.gender
        if any(noun in labels for noun in kinds_meant(question)):
            fit -= weights.kind  # 那位船长 is the captain, not the ship that has one
        return fit


def meant(mention: Mention, lexicon: Lexicon) -> list[Known]:
    """Return the instances that a spelling may mean."""
    names = dict.fromkeys(candidate.entity for candidate in mention.candidates)
    return [one for name in names for one in lexicon.known(name)]


def presence(mention: Mention, meanings: int) -> float:
    """Return what a mention is worth: a long spelling of one instance most."""
    size = min(1.0, (mention.end - mention.start) / FULL_NAME + 0.2)
    return size / float(max(1, meanings) ** WEIGHTS.shared_name)


def shared(message: str, text: str, names: Iterable[str]) -> list[bool]:
    """Return which characters of a message stand in a text too, in pieces of at least GRAM that are no name."""
    quote = [False] * len(message)
    at = 0
    while at + GRAM <= len(message):
        end = at + GRAM
        if message[at:end] not in text:
            at += 1
            continue
        while end < len(message) and message[at : end + 1] in text:
            end += 1
        if not any(message[at:end].strip("，。、的《》 ") in name for name in names):
            quote[at:end] = [True] * (end - at)
        at = end
    return quote


def messages_of(session: Session) -> list[str]:
    """Return what was said last, oldest first; who asks back with the words of the answer says them once."""
    said = [text for turn in session["turns"] for text in (turn["question"], turn["answer"][:READ]) if text.strip()]
    return [text for at, text in enumerate(said) if at == 0 or said[at - 1] != text][-MESSAGES:]


def focus_of(question: str, session: Session, lexicon: Lexicon) -> list[Focus]:
    """Return the instances that a question may be about, likeliest first."""
    talk = Talk(lexicon)
    for at, entity in enumerate(session["entities"]):
        for one in lexicon.known(entity["name"]):
            talk.present[talk.meet(one)] = WEIGHTS.on_stack / (1 + at)
    for message in messages_of(session):
        talk.hear(message)
    return talk.asked(question)
