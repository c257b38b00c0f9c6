"""The offline mind: its roles, bound together."""

from collections.abc import Callable

from nodes.roles import Mind
from tools.networks.lexicon import Lexicons
from tools.ports import Embedder, PassageStore
from tools.story.names import EntityLinker
from wenmai.minds.offline.composer import Composer
from wenmai.minds.offline.follow_ups.resolver import OfflineResolver
from wenmai.minds.offline.grading import ReaderGrader
from wenmai.minds.offline.memories import OfflineExpander, OfflineLearner, OfflineRecaller
from wenmai.minds.offline.planner import ReadingPlanner
from wenmai.minds.offline.reading import no_reader
from wenmai.minds.offline.refining import ReadingRefiner
from wenmai.minds.offline.scoring import ReadingRanker
from wenmai.reader.reader import Reader


def offline_mind(
    linker: EntityLinker,
    passages: PassageStore,
    embedder: Embedder,
    lexicons: Lexicons | None = None,
    reader: Callable[[], Reader | None] = no_reader,
) -> Mind:
    """Return the mind that needs no key and no service of models; it says in every result that it is offline.

    Its patterns are simplified Chinese: it reads questions of either script so; evidence and quotes stay as they are.
    """
    ranker = ReadingRanker(linker, passages, embedder)
    composer = Composer(ranker, reader, reader)
    return Mind(
        name="offline",
        resolver=OfflineResolver(linker, lexicons, reader),
        planner=ReadingPlanner(linker, composer, embedder, lexicons),
        grader=ReaderGrader(linker, reader),
        refiner=ReadingRefiner(linker),
        ranker=ranker,
        recaller=OfflineRecaller(),
        expander=OfflineExpander(),
        learner=OfflineLearner(),
    )
