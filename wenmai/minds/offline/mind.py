"""The offline mind: its roles, bound together."""

from collections.abc import Callable

from nodes.roles import Mind
from tools.networks.lexicon import Lexicons
from tools.ports import Embedder, PassageStore
from tools.story.linking import EntityLinker
from wenmai.minds.offline.composer import Composer
from wenmai.minds.offline.extracting import no_reader
from wenmai.minds.offline.follow_ups.resolver import OfflineResolver
from wenmai.minds.offline.grader import ReaderGrader
from wenmai.minds.offline.memories.expander import OfflineExpander
from wenmai.minds.offline.memories.learner import OfflineLearner
from wenmai.minds.offline.memories.recaller import OfflineRecaller
from wenmai.minds.offline.planner import ReadingPlanner
from wenmai.minds.offline.ranker import ReadingRanker
from wenmai.minds.offline.refiner import ReadingRefiner
from wenmai.reader.reader import Reader

NAME = "offline"


def offline_mind(
    linker: EntityLinker,
    passages: PassageStore,
    embedder: Embedder,
    lexicons: Lexicons | None = None,
    reader: Callable[[], Reader | None] = no_reader,
) -> Mind:
    """Return the mind that needs no key and no service of models; it says in every result that it is offline."""
    ranker = ReadingRanker(linker, passages, embedder)
    composer = Composer(ranker, reader, reader)
    return Mind(
        name=NAME,
        resolver=OfflineResolver(linker, lexicons, reader),
        planner=ReadingPlanner(linker, composer, embedder, lexicons),
        grader=ReaderGrader(linker, reader),
        refiner=ReadingRefiner(),
        ranker=ranker,
        recaller=OfflineRecaller(),
        expander=OfflineExpander(),
        learner=OfflineLearner(),
    )
