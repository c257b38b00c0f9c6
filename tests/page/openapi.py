"""Print the document of the API, from which the types of the page are made: `python -m tests.page.openapi`."""

import json
import sys

from wenmai.web.api.application import ENDPOINTS
from wenmai.web.dependencies import PREFIX
from wenmai.web.rest.document import document

if __name__ == "__main__":
    json.dump(document(ENDPOINTS, PREFIX, "", {}), sys.stdout, ensure_ascii=False)
