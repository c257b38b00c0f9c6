"""The files that a deployment starts from: what LangGraph's server image is built of, and the compose file."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
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
AGENTS = ("embedded", "database", "servers", "licensed")
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
    assert {"**/.env", "**/.env.*", "**/*.env", f"**/{KEYS_FILE}"} <= set(left_out)  # those of deploy/ too


def test_the_compose_file_holds_together() -> None:
    """PLA-08: services, volumes and conditions exist; every variable is a setting; no password stands in it."""
    text = COMPOSE.read_text(encoding="utf-8")
    parsed = yaml.safe_load(text)
    services, volumes = parsed["services"], parsed["volumes"]
    assert {*AGENTS, "cleaner", "qdrant", "neo4j", "postgres", "redis"} == set(services)
    profiles = {name: set(service["profiles"]) for name, service in services.items()}
    assert [name for name, one in profiles.items() if "embedded" in one] == ["embedded", "cleaner"]
    assert profiles["qdrant"] == profiles["neo4j"] == {"servers", "licensed"}
    assert profiles["postgres"] == {"database", "servers", "licensed"}
    known = {name.upper() for name in Settings.model_fields} | OF_THE_SERVER
    for name, service in services.items():
        assert "image" in service or (ROOT / service["build"]["dockerfile"]).is_file(), name
        for other, how in service.get("depends_on", {}).items():
            assert how["condition"] == "service_started" or "healthcheck" in services[other]
        mounted = {volume.split(":")[0] for volume in service.get("volumes", ())}
        assert {one for one in mounted if not (COMPOSE.parent / one).is_file()} <= set(volumes)
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}, name
        assert "healthcheck" in service or name == "cleaner"
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    for name in AGENTS:
        agent = services[name]
        assert agent["environment"]["WENMAI_REQUIRE_KEYS"] == "true" and set(agent["environment"]) <= known
        assert agent["healthcheck"] and agent["mem_limit"] and agent["cap_drop"] == ["ALL"]
        assert int(agent["stop_grace_period"].removesuffix("s")) > STOP_SECONDS
        assert {"data:/data", "models:/models"} == set(agent["volumes"]) and "/ready" in str(agent["healthcheck"])
        assert all(
            agent["environment"][one].startswith("/models") for one in ("MODEL_CACHE_DIR", "FASTEMBED_CACHE_PATH")
        )


PASSWORDS = {"postgres.env": "PGPASSWORD", "neo4j.env": "NEO4J_PASSWORD", "qdrant.env": "QDRANT_API_KEY"}
NEEDED = {"embedded": set(), "database": {"postgres.env"}, "servers": set(PASSWORDS), "licensed": set(PASSWORDS)}


@pytest.mark.parametrize("profile", AGENTS)
def test_a_profile_asks_for_its_own_passwords_alone(profile: str) -> None:
    """PLA-70: each in a file that is read as it stands, never put into the text of the compose file or an address."""
    text = COMPOSE.read_text(encoding="utf-8")
    services = yaml.safe_load(text)["services"]
    files = [file for one in services.values() if profile in one["profiles"] for file in one.get("env_file", ())]
    assert {file["path"] for file in files if file.get("required", True)} == NEEDED[profile]
    assert all(file["format"] == "raw" for file in files if file["path"] in PASSWORDS)
    interpolated = set(re.findall(r"(?<!\$)\$\{(\w+)", text))
    assert interpolated == {"TRACE_DAYS", "BACKUP_DAYS"}, "a missing value would stop every profile"
    assert all(f"{variable}:?" in str(services[file.removesuffix(".env")]) for file, variable in PASSWORDS.items())


@pytest.mark.parametrize("password", ["p@ss/w:rd%20", "$HOME${X}$$", "'\"\\ #;&|`id`", "密码 with blanks"])
def test_a_password_may_have_any_character(password: str) -> None:
    """PLA-70: what a shell in the container makes of it is the password itself."""
    services = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    printed = {
        "postgres": ("exec docker-entrypoint.sh postgres", "POSTGRES_PASSWORD", password),
        "qdrant": ("exec ./entrypoint.sh", "QDRANT__SERVICE__API_KEY", password),
        "neo4j": ("exec tini -g -- /startup/docker-entrypoint.sh neo4j", "NEO4J_AUTH", f"neo4j/{password}"),
    }
    for name, (command, variable, wanted) in printed.items():
        shell, option, script = services[name]["entrypoint"]
        shown = script.replace("$$", "$").replace(command, "exec env -0")
        given = {PASSWORDS[f"{name}.env"]: password, "PATH": os.environ["PATH"]}
        done = subprocess.run([shell, option, shown], env=given, capture_output=True, check=True)
        found = dict(one.split("=", 1) for one in done.stdout.decode().split("\0") if one)
        assert found[variable] == wanted
        assert name != "neo4j" or "NEO4J_PASSWORD" not in found
        missing = subprocess.run([shell, option, shown], env={"PATH": os.environ["PATH"]}, capture_output=True)
        assert missing.returncode != 0


def test_old_traces_and_backups_are_cleaned(tmp_path: Path) -> None:
    """PLA-70: by their age; the newest backup stays however old it is, and nothing else is touched."""
    days = {"traces/old.json": 40, "traces/new.json": 1, "traces/notes.txt": 400, "backups/a.zip": 200}
    days |= {"backups/b b.zip": 100, "stores/library/old.json": 400}
    for name, age in days.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        at = time.time() - age * 86_400
        os.utime(file, (at, at))
    for _ in range(2):
        subprocess.run(["sh", COMPOSE.with_name("clean.sh"), tmp_path], check=True)
        left = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
        assert left == set(days) - {"traces/old.json", "backups/a.zip"}
    subprocess.run(["sh", COMPOSE.with_name("clean.sh"), tmp_path / "traces"], check=True)  # there is nothing


@pytest.mark.parametrize("profile", AGENTS)
def test_compose_itself_takes_the_file(tmp_path: Path, profile: str) -> None:
    """PLA-70: with the files of this profile alone."""
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode:
        pytest.skip("Docker Compose is not here")
    shutil.copytree(COMPOSE.parent, tmp_path / "deploy")
    for name in NEEDED[profile]:
        (tmp_path / "deploy" / name).write_text(f"{PASSWORDS[name]}=p@ss/$HOME:'\n", encoding="utf-8")
    command = ["docker", "compose", "-f", str(tmp_path / "deploy" / "compose.yaml"), "--profile", profile, "config"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_one_database_takes_vectors_too() -> None:
    """PLA-08: the profile `database` needs PostgreSQL alone, an image with pgvector, and settings that go together."""
    services = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    agent = services["database"]
    assert set(agent["depends_on"]) == {"postgres"} and services["postgres"]["image"].startswith("pgvector/pgvector:")
    own = {name.lower(): value for name, value in agent["environment"].items()}
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
    assert len(stages) == 3 and "WENMAI_REQUIRE_KEYS=true" in stages[-1]
    assert not any(word in stages[-1] for word in ("pip install", "npm", "esbuild"))
