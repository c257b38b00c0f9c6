"""Suites that need what `make services` brings: a server, a model, a package.

One file `test_<name>_….py` or more for each; they run in `make test-services` alone.
"""

from devservers.running import SERVICES
from devservers.supplies import SUPPLIES
from tests.engines import asked_for

collect_ignore_glob = [f"test_{name}*.py" for name in (*SERVICES, *SUPPLIES) if not asked_for(name)]
