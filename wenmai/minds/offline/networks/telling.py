"""Answers to what goes beyond one instance: walks, lists with counts, ends of scales, comparisons, connections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from state.context import Language
from state.schema import Evidence
from tools.language import is_chinese
from tools.networks.lexicon import Known
from tools.networks.pieces import NEAR
from tools.networks.records import NEIGHBOUR_LIMIT
from wenmai.minds.offline.networks.bounds import Bound
from wenmai.minds.offline.networks.degrees import ends
from wenmai.minds.offline.networks.drafting import BETWEEN, LINE, MOST_VALUES, said
from wenmai.minds.offline.networks.filters import Filter, name_label
from wenmai.minds.offline.networks.ranking import label_of, subject_of, value_of, way
from wenmai.minds.offline.networks.shapes import PAIR, Comparison, Connection, Extreme, Listing, Shape, Walk
from wenmai.minds.offline.networks.walking import behind, best

Told = Mapping[Language, str]
COUNTED: Told = {"zh": "共{count}个，{values}", "en": "{count} in all: {values}"}
AT_LEAST: Told = {"zh": "至少{count}个，{values}", "en": "at least {count}: {values}"}
WHOLE: Told = {"zh": "{what}共{count}个：{values}。", "en": "{what}: {count} in all: {values}."}
PARTLY: Told = {"zh": "{what}共{count}个，其中有：{values}。", "en": "{what}: {count} in all, among them: {values}."}
WITH: Told = {"zh": "{filters}的{type}", "en": "{type} with {filters}"}
FILTER: Told = {"zh": "{label}为{text}", "en": "{label} {text}"}
LIMIT: Told = {"zh": "{label}{text}", "en": "{label} {text}"}
MOST: Told = {
    "zh": "{count}个{type}中，{name}最{word}，{label}：{value}。",
    "en": "Of {count} ({type}) {name} is the {word}, {label}: {value}.",
}
MORE: Told = {"zh": "更{word}的是{names}。", "en": "{word}: {names}."}
MOST_OF_ALL: Told = {"zh": "最{word}的是{names}。", "en": "{word}: {names}."}
EQUAL: Told = {"zh": "{label}相同：{names}。", "en": "The same {label}: {names}."}


@dataclass(frozen=True, slots=True)
class Teller:
    """Writes drafts whose marks are numbered by the evidence of the attempt.

    Attributes:
        plain: the question, its names blanked.
        totals: how many instances the tool told of, by keyword and type; None where every instance is known by itself.
    """

    evidence: Sequence[Evidence]
    language: Language
    plain: str
    totals: Mapping[tuple[str, str], int] | None = None
    by_instance: dict[tuple[str, str | None], list[Evidence]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Know which pieces are of which instance."""
        for piece in self.evidence:
            self.by_instance.setdefault((piece["library"], piece["source"]), []).append(piece)

    def tell(self, shape: Shape) -> str | None:
        """Return the answer; '' where what is asked is not held, None where the answer to one label may do."""
        match shape:
            case Walk():
                return self.walk(shape)
            case Listing():
                return self.each(shape) if shape.label else self.listing(shape)
            case Extreme():
                return self.extreme(shape)
            case Comparison():
                return self.comparison(shape)
            case Connection():
                found = way(shape.one.name, shape.other.name, self.evidence)
                return "\n".join(self.line(subject_of(one), label_of(one), [one]) for one in found)

    def mark(self, piece: Evidence) -> str:
        """Return the mark of a piece."""
        return f"[E{self.evidence.index(piece) + 1}]"

    def joined(self, names: Sequence[tuple[str, Evidence]]) -> str:
        """Return texts with their marks."""
        return BETWEEN[self.language].join(f"{said(text, self.plain)}{self.mark(piece)}" for text, piece in names)

    def line(self, name: str, label: str, pieces: Sequence[Evidence]) -> str:
        """Return values of one instance under one label."""
        values = self.joined([(value_of(piece), piece) for piece in pieces[:MOST_VALUES]])
        return LINE[self.language].format(name=name, label=label, values=values)

    def walk(self, walk: Walk) -> str | None:
        """Tell every step of a walk; '' where one leads nowhere."""
        names, lines = [walk.start.name], list[str]()
        for step in walk.steps:
            found = {name: behind(step, name, self.evidence) for name in names}
            names = list(dict.fromkeys(other for pairs in found.values() for other, _ in pairs))
            if not names:
                return "" if len(walk.steps) > 1 else None
            last = step is walk.steps[-1] and step.direction is not None
            for name, pairs in found.items():
                if pairs:
                    values = self.counted(pairs) if walk.counts and last else self.joined(pairs[:MOST_VALUES])
                    lines.append(LINE[self.language].format(name=name, label=step.said, values=values))
        return "\n".join(lines)

    def counted(self, pairs: Sequence[tuple[str, Evidence]]) -> str:
        """Return how many there are, as far as the tool tells them, and which."""
        form = AT_LEAST if len(pairs) >= NEIGHBOUR_LIMIT else COUNTED
        return form[self.language].format(count=len(pairs), values=self.joined(pairs))

    def listing(self, listing: Listing) -> str | None:
        """Tell the instances of a type with their number."""
        label = listing.filters[0].label if listing.filters else name_label(listing.type)
        if self.totals is None:
            shown = [(one.name, piece) for one in listing.members if (piece := self.piece_of(one, label))]
            count = len(listing.members)
        else:
            shown = [(subject_of(one), one) for one in self.fetched(listing, label)]
            count = max(len(shown), self.totals.get((listing.keyword, listing.type.id), 0))
        if not shown:
            return "" if self.totals is None and not listing.members else None
        form = WHOLE if len(shown) == count else PARTLY
        return form[self.language].format(what=self.what(listing), count=count, values=self.joined(shown))

    def fetched(self, listing: Listing, label: str) -> list[Evidence]:
        """Return the pieces under a label that the calls brought, of a network too large to know its instances."""
        texts = [one.text for one in listing.filters if isinstance(one, Filter)]
        own = [one for one in self.evidence if one["library"] == listing.key[0] and label_of(one) == label]
        return [one for one in own if (one["score"] or 0.0) > NEAR and all(text in value_of(one) for text in texts[:1])]

    def what(self, listing: Listing) -> str:
        """Return what a list holds: 船型为三桅货船的船只."""
        if not listing.filters:
            return listing.type.name
        told = BETWEEN[self.language].join(self.wanted(one) for one in listing.filters)
        return WITH[self.language].format(filters=told, type=listing.type.name)

    def wanted(self, one: Filter | Bound) -> str:
        """Return a filter for people."""
        if isinstance(one, Bound):
            return LIMIT[self.language].format(label=one.label, text=one.text.strip())
        return FILTER[self.language].format(label=one.label, text=one.text)

    def each(self, listing: Listing) -> str | None:
        """Tell what is asked of each instance of a list."""
        lines = [
            self.line(one.name, listing.label, held)
            for one in listing.members
            if (held := self.held(one, listing.label))
        ]
        return "\n".join(lines) or None

    def extreme(self, shape: Extreme) -> str | None:
        """Tell who is at the end of a scale."""
        found = [(one, self.piece_of(one, shape.degree.label)) for one in best(shape)]
        lines = [
            MOST[spoken_in(shape.degree.word)].format(
                count=len(shape.members),
                type=shape.type.name,
                name=one.name,
                word=shape.degree.word,
                label=shape.degree.label,
                value=f"{value_of(piece)}{self.mark(piece)}",
            )
            for one, piece in found
            if piece
        ]
        return "\n".join(lines) or None

    def comparison(self, shape: Comparison) -> str | None:
        """Tell the values side by side, and whose is more."""
        label, word = shape.degree.label, shape.degree.word
        pieces = {one.name: piece for one in shape.members if (piece := self.piece_of(one, label))}
        if len(pieces) < len(shape.members):
            return None
        lines = [self.line(name, label, [piece]) for name, piece in pieces.items()]
        chosen = ends(((name, value_of(piece)) for name, piece in pieces.items()), upper=shape.degree.upper)
        names = self.joined([(name, pieces[name]) for name in chosen])
        if len(chosen) == len(pieces):
            lines.append(EQUAL[self.language].format(label=label, names=names))
        elif chosen:
            form = MORE if len(pieces) == PAIR else MOST_OF_ALL
            lines.append(form[spoken_in(word)].format(word=word, names=names))
        return "\n".join(lines)

    def piece_of(self, one: Known, label: str) -> Evidence | None:
        """Return the piece with an instance's value under a label; without a label the first of it."""
        return next((piece for piece in self.held(one, label)), None)

    def held(self, one: Known, label: str) -> list[Evidence]:
        """Return the pieces of an instance under a label; of several values all."""
        own = self.by_instance.get((one.network_id, one.id), ())
        return [piece for piece in own if subject_of(piece) == one.name and label in ("", label_of(piece))]


def spoken_in(word: str) -> Language:
    """Return the language of a word that an answer takes from the question."""
    return "zh" if is_chinese(word) else "en"
