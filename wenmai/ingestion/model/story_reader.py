"""What a reader at a place of a story cannot know: names that come later, and what later passages say."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tools.records import Passage
from tools.story.names import NameTable

AHEAD = 0.6  # share of a sentence's words in a later passage from which on it may tell of that one


CAPITALISED = re.compile(r"\b[A-Z]\w{2,}")


@dataclass(frozen=True)
class WholeText:
    """The passages of a library, in order, by what they say."""

    passages: Sequence[Passage] = ()

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """Each word with the places of the passages that have it."""
        from nodes.checking.evidence import words_of  # it loads LangChain

        places: dict[str, list[int]] = defaultdict(list)
        for at, one in enumerate(self.passages):
            for word in words_of(one.text):
                places[word].append(at)
        return places

    def is_later(self, text: str, count: int) -> bool:
        """Return True if a passage behind the first so many says a text, and more of it than any of these.

        Or if it alone has a capitalised word of the text, which may be a name.
        """
        from nodes.checking.evidence import words_of

        words, capitalised = words_of(text), words_of(" ".join(CAPITALISED.findall(text)))
        if any((seen := self.places.get(word)) and seen[0] >= count for word in capitalised):
            return True
        found = Counter(at for word in words for at in self.places.get(word, ()))
        before = max((times for at, times in found.items() if at < count), default=0)
        behind = max((times for at, times in found.items() if at >= count), default=0)
        return behind >= AHEAD * len(words) and behind > before


@dataclass(frozen=True)
class StoryReader:
    """Who has read the first `count` passages: the names that he knows, and all that there are."""

    visible: NameTable
    every: NameTable
    text: WholeText
    count: int

    def is_ahead(self, sentence: str, material: str) -> bool:
        """Return True if a sentence tells what its reader cannot know.

        It has a name that he has not met and the material does not have, or what it says stands in a later passage.
        """
        known = {mention.text for mention in self.visible.find(sentence)}
        names = [mention.text for mention in self.every.find(sentence)]
        return any(name not in known and name not in material for name in names) or self.text.is_later(
            sentence, self.count
        )
