"""Print the document of the API, from which the types of the page are made: `python -m tests.page.openapi`."""

import json
import sys

from wenmai.web.app import app

if __name__ == "__main__":
    json.dump(app.openapi(), sys.stdout, ensure_ascii=False)
