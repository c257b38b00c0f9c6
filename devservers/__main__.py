"""`python -m devservers up|down|status|env [NAME ...]`: servers on loopback, all of them unless some are named.

`up` also fetches what suites need beside servers.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence

from devservers.running import SERVICES, found, known, start, stop
from devservers.service import ServiceError
from devservers.supplies import SUPPLIES, supply

ALL = (*SERVICES, *SUPPLIES)


def main() -> int:
    """Do what the command line says; a server that cannot be had is one line and exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m devservers", description=__doc__)
    parser.add_argument("command", choices=list(COMMANDS))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ALL)}; default: all")
    arguments = parser.parse_args()
    try:
        for name in arguments.names:
            if name not in SUPPLIES:
                known(name)
        COMMANDS[arguments.command](arguments.names or list(ALL))
    except ServiceError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def up(names: Sequence[str]) -> None:
    """Install and start."""
    for name in names:
        if name in SUPPLIES:
            supply(name)
            print(f"{name}: installed")
        else:
            print(f"{name}: 127.0.0.1:{start(name).port}")


def down(names: Sequence[str]) -> None:
    """Stop."""
    for name in servers(names):
        print(f"{name}: {'stopped' if stop(name) else 'was not running'}")


def status(names: Sequence[str]) -> None:
    """Say what runs."""
    for name in servers(names):
        running = found(name)
        print(f"{name}: {f'127.0.0.1:{running.port}, process {running.pid}' if running else 'not running'}")


def env(names: Sequence[str]) -> None:
    """Print what a shell evaluates so that the product finds the servers that run."""
    for name in servers(names):
        running = found(name)
        for variable, value in running.settings.items() if running else ():
            print(f"export {variable}={shlex.quote(value)}")


def servers(names: Sequence[str]) -> list[str]:
    """Return those that run when they are started."""
    return [name for name in names if name in SERVICES]


COMMANDS = {"up": up, "down": down, "status": status, "env": env}

if __name__ == "__main__":
    sys.exit(main())
