"""New search words for a failed draft: names by another spelling, words by their synonyms."""

from dataclasses import dataclass

from nodes.policy import MAX_QUERIES
from nodes.roles import RefineRequest
from tools.story.linking import EntityLinker
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.matching import spellings
from wenmai.minds.offline.words import content_words

# What a story tells where such a question is asked (S003-20): concrete events of two people, turns of one life.
EVENT_WORDS = {
    "relation": ("相遇 见面", "救 帮助 冲突"),
    "evolution": ("相遇 见面", "反目 和好 离开"),
    "journey": ("离开 来到 成为", "战 死 伤"),
}


@dataclass(frozen=True, slots=True)
class OfflineRefiner:
    """Entity and content words of question and suggestion (loop.md §8)."""

    linker: EntityLinker

    async def refine(self, request: RefineRequest) -> list[str]:
        """Return 2-3 queries that were not used before."""
        table = await self.linker.table(request.library, request.horizon)
        analysis = analyse(request.question, table)
        names = list(analysis.entities)
        others = [s for name in names for s in spellings(name, table) if s != name]
        synonyms = [other for word in analysis.words for other in analysis.synonyms[word][1:]]
        advised = [w for w in content_words(request.suggestion) if w in analysis.words]
        events = [" ".join([*names, words]) for words in EVENT_WORDS.get(analysis.kind, ())]
        queries = [
            *events,
            " ".join([*names, *analysis.words]),
            " ".join([*(others[: len(names) + 1] or names), *(synonyms or advised)]),
            " ".join([*analysis.words, *synonyms]),
        ]
        fresh = [query for query in dict.fromkeys(queries) if query and query not in request.queries_used]
        return fresh[:MAX_QUERIES]
