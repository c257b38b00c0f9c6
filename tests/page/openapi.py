"""Print the document of the API, from which the types of the page are made: `python -m tests.page.openapi`."""

import json
import sys

from wenmai.web.api.application import described
from wenmai.web.own.server import OwnServer

if __name__ == "__main__":
    json.dump(described(OwnServer().application()), sys.stdout, ensure_ascii=False)
