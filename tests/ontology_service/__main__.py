"""`python -m tests.ontology_service DIR... [--generation older] [--port N]`: the service as a process of its own."""

import argparse
import sys
from pathlib import Path

from tests.ontology_service.server import OntologyServer


def main() -> None:
    """Serve until the process is stopped; the first line of the output tells the two addresses."""
    parser = argparse.ArgumentParser(description="An ontology-query service over networks in folders")
    parser.add_argument("folders", nargs="+", type=Path, help="folders with a network.yaml")
    parser.add_argument("--generation", choices=("older", "newer"), default="newer")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    server = OntologyServer.of(*given.folders, generation=given.generation)
    server.port = given.port
    with server:
        told = f"KNOWLEDGE_NETWORK_QUERY_API_BASE={server.query_base} KNOWLEDGE_NETWORK_API_BASE={server.manager_base}"
        sys.stdout.write(f"{told}\n")
        sys.stdout.flush()
        server.listening.thread.join()


if __name__ == "__main__":
    main()
