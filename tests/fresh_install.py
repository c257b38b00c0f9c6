"""The wheel in an empty environment: how much it installs, and what works there from an empty folder and home.

    python -m tests.fresh_install [--python python3.13] [--extra mcp] [--keep FOLDER]

It asks the package registry, so no test runs it. It prints the packages, the megabytes (2**20 bytes, with the bytecode
that pip writes; the installer itself is not counted) and the seconds of each step; a step that fails ends it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import distributions
from pathlib import Path

import httpx
from hatchling.build import build_wheel

from tests.integration.live_server import LiveServer, free_port, stop, wait_for

ROOT = Path(__file__).parents[1]
INSTALLERS = {"pip", "setuptools"}
MEGABYTE = 2**20
DEMOS = {"zh": "理解为：冯七瞎了哪只眼睛？", "en": "Understood as: Which of Bess Harker's hands is burnt?"}
QUESTION = {"model": "sample_en", "messages": [{"role": "user", "content": "Who is the mate of the Lydia?"}]}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fresh", "version": "0"}},
}


@contextmanager
def timed(step: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    sys.stdout.write(f"{step}: {time.monotonic() - began:.0f} s\n")
    sys.stdout.flush()


def sizes(site: Path) -> tuple[int, float, float]:
    """Return how many packages beside Wenmai a folder holds, and their megabytes: of the files, and on the disk."""
    found = [one for one in distributions(path=[str(site)]) if one.metadata["Name"] not in INSTALLERS]
    files = {Path(str(one.locate_file(name))) for one in found for name in one.files or ()}
    stats = [file.stat() for file in files if file.is_file()]
    on_disk = sum(one.st_blocks * 512 for one in stats)
    return len(found) - 1, sum(one.st_size for one in stats) / MEGABYTE, on_disk / MEGABYTE


def built_wheel(folder: Path) -> Path:
    """Build the wheel of this repository into a folder and return it."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        return folder / build_wheel(str(folder))
    finally:
        os.chdir(before)


def served(command: Sequence[str], folder: Path, environment: dict[str, str], has_mcp: bool) -> None:
    """Start the server and ask its page, `/v1` and `/mcp`. Raises HTTPStatusError and AssertionError."""
    port = free_port()
    order = [*command, "serve", "--port", str(port)]
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(order, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)
    server = LiveServer(f"http://127.0.0.1:{port}", folder, process.pid)
    headers = {"Accept": "application/json, text/event-stream", "Accept-Language": "en"}
    try:
        wait_for(server, process, "/ready")
        with httpx.Client(base_url=server.url, headers=headers, timeout=120) as client:
            assert "<title>" in client.get("/").raise_for_status().text
            answer = client.post("/v1/chat/completions", json=QUESTION).raise_for_status().json()
            assert "Bess Harker" in answer["choices"][0]["message"]["content"], answer
            reply = client.post("/mcp", json=HELLO)
            assert reply.is_success if has_mcp else "wenmai[mcp]" in reply.text, reply.text
    finally:
        stop(process)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--extra", nargs="*", default=[])
    parser.add_argument("--keep", type=Path, help="folder that stays")
    given = parser.parse_args()
    home = given.keep or Path(tempfile.mkdtemp(prefix="wenmai-"))
    venv, work = home / "venv", home / "work"
    work.mkdir(parents=True)
    built = built_wheel(home)
    subprocess.run([given.python, "-m", "venv", str(venv)], check=True)
    what = f"{built}[{','.join(given.extra)}]" if given.extra else str(built)
    with timed("pip install"):
        subprocess.run([str(venv / "bin" / "pip"), "install", "--quiet", what], check=True)
    [site] = venv.glob("lib/python*/site-packages")
    packages, megabytes, on_disk = sizes(site)
    sys.stdout.write(
        f"{site.parent.name}: {packages} packages, {megabytes:.0f} MB of files, {on_disk:.0f} MB on disk\n"
    )
    command = [str(venv / "bin" / "wenmai")]
    environment = {"PATH": os.environ["PATH"], "HOME": str(work), "LANG": "C.UTF-8"}
    for language, expected in DEMOS.items():
        with timed(f"demo, {language}"):
            done = subprocess.run(
                [*command, "demo", "--language", language],
                cwd=work,
                env=environment,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert done.returncode == 0 and expected in done.stdout, done.stderr
    with timed("serve, page, /v1, /mcp"):
        served(command, work, environment, "mcp" in given.extra)
    sys.stdout.write(f"all in {home}\n")


if __name__ == "__main__":
    main()
