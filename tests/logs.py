"""A pytest plugin: what a test does to logging is put back.

Commands choose what they log and say nothing twice; run inside the test process they would do so for every later test.
"""

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def restored() -> Iterator[None]:
    """Put back the levels of all loggers, and the handlers of the root with their filters."""
    root = logging.getLogger()
    levels = {logger: logger.level for logger in loggers()}
    handlers = {handler: handler.filters[:] for handler in root.handlers}
    try:
        yield
    finally:
        root.handlers[:] = handlers
        for handler, filters in handlers.items():
            handler.filters[:] = filters
        for logger in loggers():
            if logger.level != (level := levels.get(logger, logging.NOTSET)):
                logger.setLevel(level)  # it clears what all loggers remember: milliseconds, where it is done for each


def loggers() -> list[logging.Logger]:
    known = logging.getLogger().manager.loggerDict.values()
    return [logging.getLogger(), *(one for one in known if isinstance(one, logging.Logger))]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Include the fixtures of the module and of the session, which run commands too."""
    with restored():
        return (yield)
