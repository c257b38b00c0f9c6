"""The product's packages beside `wenmai` have common names: another program's `tools` or `graph.py` may hide them.

Python looks in the folder of the script, or the working directory, before it looks where packages are installed.
"""

import os
import sys
from importlib.util import find_spec

BESIDE = ("graph", "nodes", "state", "tools")
CLASH = (
    "wenmai 自带的包 {name!r} 被 {place} 遮住：请给它改名，换一个文件夹运行，或用 python -P 运行（不看当前文件夹） / "
    "wenmai's own package {name!r} is hidden by {place}: rename that, run elsewhere, or run python -P"
)


def require_own_packages() -> None:
    """Refuse to go on where another package or module stands in the place of one of the product's.

    Raises:
        ImportError: one line that names both, and the ways out.
    """
    home = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    for name in BESIDE:
        place = place_of(name)
        if place is not None and os.path.realpath(place) != os.path.join(home, name):
            raise ImportError(CLASH.format(name=name, place=place), name=name, path=place)


def place_of(name: str) -> str | None:
    """Return the folder of a package, or the file of a module, that an import gives; None where there is none."""
    loaded = sys.modules.get(name)
    if loaded is not None:
        return folder_or_file(getattr(loaded, "__file__", None) or next(iter(getattr(loaded, "__path__", ())), name))
    spec = find_spec(name)
    if spec is None:
        return None
    return folder_or_file(spec.origin or next(iter(spec.submodule_search_locations or ()), name))


def folder_or_file(path: str) -> str:
    folder, file = os.path.split(path)
    return folder if file.startswith("__init__.") else path
