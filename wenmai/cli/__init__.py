"""The command line. Nothing heavy is imported before a command runs: every command imports what it needs itself."""

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = 130  # 128 + SIGINT, as shells count it
# A command begins with imports, which make many objects and no garbage: with Python's own thresholds the collector
# takes a tenth of the time of `wenmai ask`.
COLLECTOR = (50_000, 20, 100)


def main() -> None:
    """Run the command line and leave with its exit code.

    Ctrl-C while it still loads ends it in one line, as it does later; once the command is done, it only cuts short
    the interpreter's wait for what is still closing.
    """
    gc.set_threshold(*COLLECTOR)
    waiting = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if waiting:  # where a shell has it ignored, it stays so
        signal.signal(signal.SIGINT, leave)
    from wenmai.cli.app import main as enter

    if waiting:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # asyncio.run replaces this one, and no other
        sys.unraisablehook = leave_where_lost
    code = enter()
    if waiting:
        signal.signal(signal.SIGINT, lambda *_: os._exit(code))
    gc.freeze()  # all is closed; the interpreter would look through everything once more, 0.3 s after `wenmai ask`
    sys.exit(code)


def leave(*_: object) -> None:
    """End the process at once: an import that is cut short fails in ways of its own, and nothing is to be saved yet."""
    os.write(2, "已取消\n".encode())
    os._exit(INTERRUPTED)


def leave_where_lost(lost: "UnraisableHookArgs") -> None:
    """End the process where compiled code, as while pydantic is imported, has swallowed a Ctrl-C."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        leave()
    sys.__unraisablehook__(lost)
