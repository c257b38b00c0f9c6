"""A pytest plugin: how the tests are shared among workers of pytest-xdist.

A file goes to one worker, so that what its module prepares is prepared once; files that share a server go together.
(`--dist loadgroup` of pytest-xdist 3.8 finds no groups under pytest 9.2.)
"""

from typing import Any

import pytest

SHARED = {
    "server": (
        *("test_server", "test_server_input", "test_documents_server", "test_chat_clients", "test_chat_door"),
        *("test_what_is_refused", "test_documents_and_networks"),
    ),
    "guarded": ("test_server_access", "test_server_isolation", "test_server_origins"),
}
"""Files of tests/integration by the fixture of the session that they share; those of `server` share `own` as well."""
GROUPS = {f"tests/integration/{file}.py": group for group, files in SHARED.items() for file in files}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what hands files and groups of files to workers, the largest first."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]  # it ships no types

    scheduler = LoadFileScheduling(config, log)
    scheduler._split_scope = group_of
    return scheduler


def group_of(nodeid: str) -> str:
    """Return what a test goes with: its file, or the files of its server."""
    file = nodeid.split("::", 1)[0]
    return GROUPS.get(file, file)
