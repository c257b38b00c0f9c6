"""People of short stories by the shipped reader: modern, classical, translated, in the first and the third person."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from wenmai.app.container import Services
from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.names.narrator import narrators_of
from wenmai.ingestion.names.recognition import recognise
from wenmai.ingestion.names.spans import NameTagger, tag_all
from wenmai.ingestion.sources.decoding import read_bytes
from wenmai.ingestion.sources.loaders import load
from wenmai.settings.settings import load_settings

STORIES = sorted((Path(__file__).parent / "stories").glob("*.txt"))
LEAST_FOUND, LEAST_WHOLE = 0.8, 0.65
MORE = 2
"""Places in the list of the most mentioned that others than the main characters may take."""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> NameTagger:
    reader = Services(load_settings(data_dir=tmp_path_factory.mktemp("reader"))).reader
    assert reader is not None
    return reader


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
async def test_people_of_a_story(path: Path, reader: NameTagger) -> None:
    gold: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    spelled = {person["name"]: {person["name"], *person["aliases"]} for person in gold["people"]}
    texts = [chapter.text for chapter in load(path, read_bytes)]
    found = recognise(texts, [], await tag_all(texts, reader))
    namer = Namer.build(found.names, texts, own=[entry.name for entry in found.names], uses=found.uses)
    narrators = narrators_of(texts, namer)

    counts = Counter(mention.entity for text in texts for mention in namer.mentions(text))
    counts.update(mention.entity for text in texts for mention in narrators.mentions(text))
    people = {entry.name: {entry.name, *entry.aliases} for entry in found.names if counts[entry.name]}
    bearers = {name: [one for one, words in people.items() if words & own] for name, own in spelled.items()}

    mixed = [words for words in people.values() if sum(bool(words & own) for own in spelled.values()) > 1]
    assert not mixed, "two people are one"
    assert not people.keys() & set(gold["not_names"]), "a thing is a person or a place"
    assert sum(map(bool, bearers.values())) >= LEAST_FOUND * len(bearers)
    assert sum(len(one) == 1 for one in bearers.values()) >= LEAST_WHOLE * len(bearers)

    persons = [entry.name for entry in found.names if entry.kind == "Character"]
    main = [person["name"] for person in gold["people"] if person["main"]]
    most = sorted(persons, key=lambda name: -counts[name])[: len(main) + MORE]
    assert [name for name in main if not set(bearers[name]) & set(most)] == []
    teller = next((person["name"] for person in gold["people"] if person.get("narrator")), None)
    tellers = set(narrators.tellers.values())
    assert bool(tellers) == bool(teller) and tellers <= (spelled[teller] if teller else set())
