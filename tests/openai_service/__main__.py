"""The service as a program: `python -m tests.openai_service --port 0 --script FILE`; its first line is its address."""

from tests.gemini.__main__ import options, prepare, served
from tests.openai_service.dialect import DIALECTS, STRICT
from tests.openai_service.server import ChatServer


def main() -> None:
    """Serve until a signal comes."""
    parser = options("tests.openai_service", "A loopback service of OpenAI's protocol")
    parser.add_argument("--dialect", choices=sorted(DIALECTS), help="another kind of server")
    chosen = parser.parse_args()
    server = ChatServer(chosen.port)
    prepare(server.open(chosen.key, DIALECTS.get(chosen.dialect, STRICT)), chosen)
    served(server)


if __name__ == "__main__":
    main()
