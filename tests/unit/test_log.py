"""What the command line logs where nobody asked for a log."""

import io
import logging

from wenmai.cli.output.terminal import Once


def test_a_line_is_said_once() -> None:
    """A service that fails at every call costs a terminal one line, another failure another one."""
    stream, logger = io.StringIO(), logging.Logger("wenmai.test")
    handler = logging.StreamHandler(stream)
    handler.addFilter(Once())
    logger.addHandler(handler)
    for reason in ("503", "503", "404", "503"):
        logger.warning("searched by words alone: %s", reason)
    assert stream.getvalue().splitlines() == ["searched by words alone: 503", "searched by words alone: 404"]
