"""The files that a deployment starts from: what LangGraph's server image is built of, and the compose file."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from wenmai.access.keyring import FILE as KEYS_FILE
from wenmai.settings.settings import Settings, load_settings
from wenmai.web.server import STOP_SECONDS

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "deploy" / "compose.yaml"
OF_THE_SERVER = {"DATABASE_URI", "REDIS_URI"}  # LangGraph's own


@pytest.fixture(scope="module")
def dockerfile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `langgraph dockerfile` writes for this repository."""
    path = tmp_path_factory.mktemp("image") / "Dockerfile"
    program = Path(sys.executable).parent / "langgraph"
    command = [str(program), "dockerfile", str(path), "-c", str(ROOT / "langgraph.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return path.read_text(encoding="utf-8")


def variable(dockerfile: str, name: str) -> Any:
    """Return what an ENV line holds."""
    (found,) = re.findall(rf"^ENV {name}='(.*)'$", dockerfile, flags=re.MULTILINE)
    return json.loads(found)


def test_langgraph_builds_an_image_of_this_folder(dockerfile: str) -> None:
    """DESIGN §1: graphs, routes and authentication are found in it under the paths that they have here."""
    assert re.search(r"^FROM langchain/langgraph-api:3\.11$", dockerfile, flags=re.MULTILINE)
    assert re.search(r"^ADD \. /deps/", dockerfile, flags=re.MULTILINE) and "pip install" in dockerfile
    graphs, http, auth = (
        variable(dockerfile, name) for name in ("LANGSERVE_GRAPHS", "LANGGRAPH_HTTP", "LANGGRAPH_AUTH")
    )
    assert set(graphs) == {"agent", "memory_recall"} and auth["disable_studio_auth"] is True
    assert http["middleware_order"] == "auth_first" and http["enable_custom_route_auth"] is True
    assert all(graph["description"] for graph in graphs.values())  # what MCP and the API say of them
    checkpointer = variable(dockerfile, "LANGGRAPH_CHECKPOINTER")["path"]
    for path in (*(graph["path"] for graph in graphs.values()), http["app"], auth["path"], checkpointer):
        file, _, name = path.split("/", 3)[3].partition(":")
        assert re.search(
            rf"^(async def |def |){name}\b", (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE
        ), path


def test_nothing_of_a_user_gets_into_an_image() -> None:
    """PLA-01: both images copy the folder: stores, traces, keys and settings of it stay outside."""
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for name in (Settings.model_fields["data_dir"].default.name, "logger", ".langgraph_api", ".git", ".venv"):
        assert name in left_out
    assert {"**/.env", "**/.env.*", f"**/{KEYS_FILE}"} <= set(left_out)  # deploy/.env too


def test_the_compose_file_holds_together() -> None:
    """PLA-08: services, volumes and conditions exist; every variable is a setting; no password stands in it."""
    text = COMPOSE.read_text(encoding="utf-8")
    parsed = yaml.safe_load(text)
    services, volumes = parsed["services"], parsed["volumes"]
    assert {"embedded", "database", "servers", "licensed", "qdrant", "neo4j", "postgres", "redis"} == set(services)
    profiles = {name: set(service["profiles"]) for name, service in services.items()}
    assert [name for name, one in profiles.items() if "embedded" in one] == ["embedded"]
    assert profiles["qdrant"] == profiles["neo4j"] == {"servers", "licensed"}
    assert profiles["postgres"] == {"database", "servers", "licensed"}
    known = {name.upper() for name in Settings.model_fields} | OF_THE_SERVER
    for name, service in services.items():
        assert "image" in service or (ROOT / service["build"]["dockerfile"]).is_file(), name
        for other, how in service.get("depends_on", {}).items():
            assert how["condition"] == "service_started" or "healthcheck" in services[other]
        assert {volume.split(":")[0] for volume in service.get("volumes", ())} <= set(volumes)
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    for name in ("embedded", "database", "servers", "licensed"):
        agent = services[name]
        assert agent["environment"]["WENMAI_REQUIRE_KEYS"] == "true" and set(agent["environment"]) <= known
        assert agent["healthcheck"] and agent["mem_limit"] and agent["cap_drop"] == ["ALL"]
        assert int(agent["stop_grace_period"].removesuffix("s")) > STOP_SECONDS
    assert all(value.startswith("${") for value in re.findall(r"PASSWORD: (\S+)", text))
    assert re.findall(r"\$\{(\w+):\?", text) and "/ready" in text


def test_one_database_takes_vectors_too() -> None:
    """PLA-08: the profile `database` needs PostgreSQL alone, an image with pgvector, and settings that go together."""
    services = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    agent = services["database"]
    assert set(agent["depends_on"]) == {"postgres"} and services["postgres"]["image"].startswith("pgvector/pgvector:")
    own = {name.lower(): value for name, value in agent["environment"].items()}
    own["postgres_uri"] = re.sub(r"\$\{.*?\}", "x", own["postgres_uri"])
    settings = load_settings(_env_file=None, **own)
    assert settings.has_server_vectors and settings.has_postgres_catalog and not settings.shares_libraries


def test_the_pins_of_the_image_are_those_of_the_tests() -> None:
    """PLA-09: each has its hashes, and no address of an index."""
    pinned = (ROOT / "deploy" / "requirements.lock").read_text(encoding="utf-8")
    known = {line.split(" ;")[0] for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()}
    blocks = re.split(r"\n(?=\S)", pinned.strip())
    assert len(blocks) > 100 and all("--hash=sha256:" in block for block in blocks) and "://" not in pinned
    assert {re.split(r" [;\\]", block)[0] for block in blocks} <= known


def test_the_image_of_the_own_server() -> None:
    """PLA-09: it starts `wenmai serve`, not as root, on the pinned packages, with nothing but the product in it."""
    text = (ROOT / "deploy" / "serve.Dockerfile").read_text(encoding="utf-8")
    assert '"wenmai", "serve"' in text and "USER wenmai" in text and "--require-hashes" in text
    copied = {line.split()[1] for line in text.splitlines() if line.startswith("COPY ") and "--from" not in line}
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(wheel["packages"]) <= copied and not {".", "tests", "benchmarks", "devservers"} & copied
    stages = text.split("FROM ")[1:]
    assert len(stages) == 2 and "pip install" not in stages[1] and "WENMAI_REQUIRE_KEYS=true" in stages[1]
