"""Suites that need a server, one file `test_<server>_….py` or more for each: they run in `make test-services` alone."""

from services.running import SERVICES
from tests.engines import asked_for

collect_ignore_glob = [f"test_{name}*.py" for name in SERVICES if not asked_for(name)]
