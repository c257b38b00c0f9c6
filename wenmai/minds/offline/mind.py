"""The offline mind: its five roles, bound together."""

from collections.abc import Callable

from nodes.roles import Mind
from tools.networks.lexicons import Lexicons
from tools.ports import Embedder, PassageStore
from tools.story.linking import EntityLinker
from wenmai.minds.offline.composer import Composer
from wenmai.minds.offline.expander import OfflineExpander
from wenmai.minds.offline.grader import OfflineGrader
from wenmai.minds.offline.learner import OfflineLearner
from wenmai.minds.offline.observing import NOBODY, Observer
from wenmai.minds.offline.planner import OfflinePlanner
from wenmai.minds.offline.ranker import OfflineRanker
from wenmai.minds.offline.recaller import OfflineRecaller
from wenmai.minds.offline.refiner import OfflineRefiner
from wenmai.minds.offline.resolver import OfflineResolver
from wenmai.minds.reading.needs import no_reader
from wenmai.reader.reader import Reader

NAME = "offline"


def offline_mind(
    linker: EntityLinker,
    passages: PassageStore,
    embedder: Embedder,
    lexicons: Lexicons | None = None,
    observer: Observer = NOBODY,
    reader: Callable[[], Reader | None] = no_reader,
) -> Mind:
    """Return the mind that needs no key and no service of models; it says in every result that it is offline."""
    ranker = OfflineRanker(linker, passages, embedder)
    return Mind(
        name=NAME,
        resolver=OfflineResolver(linker, lexicons, passages, observer, reader),
        planner=OfflinePlanner(linker, Composer(ranker, observer, reader), embedder, passages, lexicons),
        grader=OfflineGrader(linker),
        refiner=OfflineRefiner(linker),
        ranker=ranker,
        recaller=OfflineRecaller(),
        expander=OfflineExpander(),
        learner=OfflineLearner(),
    )
