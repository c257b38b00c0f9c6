"""What the mind says in its own words: the texts of wordings.toml, in both languages, filled with what it cites."""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import Formatter

from nodes.citations import marks_of, plain_text
from state.context import Language
from state.draft import Mark, Sentence


@cache
def wordings() -> dict[str, dict[str, dict[Language, str]]]:
    return tomllib.loads(files("wenmai.minds.offline").joinpath("wordings.toml").read_text(encoding="utf-8"))


def template(key: str, language: Language) -> str:
    """Return the text of `section.name`; a missing key is a KeyError."""
    section, name = key.split(".")
    return wordings()[section][name][language]


def say(key: str, language: Language, /, **values: object) -> str:
    """Return the text of `section.name` with its values; a missing key or value is a KeyError."""
    return template(key, language).format(**values)


def say_cited(key: str, language: Language, /, **values: Sentence | str | int) -> Sentence:
    """Return the text of `section.name` as a sentence that cites what its values cite."""
    parts: list[Sentence | str | int] = []
    for words, name, _, _ in Formatter().parse(template(key, language)):
        parts += [words] if name is None else [words, values[name]]
    return sentence(*parts)


def cited(text: str, piece_id: str, *, spaced: bool = True) -> Sentence:
    """Return a text that cites a piece of evidence at its end, behind a blank if `spaced`."""
    return Sentence(text=text, marks=[Mark(at=len(text), piece=piece_id, spaced=spaced)], role="answer")


def sentence(*parts: Sentence | str | int) -> Sentence:
    whole = [one if isinstance(one, dict) else Sentence(text=str(one), marks=[], role="answer") for one in parts]
    return Sentence(text=plain_text(whole), marks=marks_of(whole), role="answer")


def enumeration(between: str, parts: Sequence[Sentence]) -> Sentence:
    return sentence(*(one for at, part in enumerate(parts) for one in (between * bool(at), part)))
