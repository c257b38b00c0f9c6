"""A pytest plugin: how the tests are shared among workers of pytest-xdist.

A file goes to one worker, so that what its module prepares is prepared once; files that share a server go together.
(`--dist loadgroup` of pytest-xdist 3.8 finds no groups under pytest 9.2.)
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from xdist.remote import Producer  # type: ignore[import-untyped]  # it ships no types
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

SHARED = {
    "server": ("test_server", "test_server_input", "test_documents_server"),
    "guarded": ("test_server_access", "test_server_isolation"),
}
"""Files of tests/integration by the fixture of the session that they share."""
GROUPS = {f"tests/integration/{file}.py": group for group, files in SHARED.items() for file in files}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "LoadFileScheduling | None":
    """Return what hands files and groups of files to workers, the largest first."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByGroup(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::", 1)[0]
            return GROUPS.get(file, file)

    return ByGroup(config, log)
