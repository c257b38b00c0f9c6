"""Write a small data folder with an installed version of Wenmai, and pack it for the tests.

    git worktree add /tmp/old 48df1c88 && make -C /tmp/old .venv/.installed
    python -m tests.compatibility.write_data /tmp/old/.venv/bin/wenmai tests/compatibility/48df1c88.tar.xz

It holds a library of three chapters, in which two entities are merged, a knowledge network, two memories of a user, one
of them sensitive, a document of a session, a thread of one turn, and an API key, which lies beside it in key.txt. In
b4e4a13.tar.xz nothing is merged, and there is one memory.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

from tests.integration.cli_story import ALIASES, STORY

NETWORK = {"云雀号": [["云雀号", "船长", "温若水"], ["云雀号", "吨位", "120"]]}
DOCUMENT = "# 员工手册\n\n## 报销\n\n差旅报销须在三十天内提交发票，审批编号以 FIN-2071 开头。\n"
USER, SESSION = "lin", "talk-1"


def commands(folder: Path) -> list[list[str]]:
    """Return the command lines, in order; their files are written into the folder."""
    files = {
        "story.txt": STORY,
        "aliases.json": json.dumps(ALIASES, ensure_ascii=False),
        "ships.json": json.dumps(NETWORK, ensure_ascii=False),
        "handbook.md": DOCUMENT,
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [
        ["ingest", "story.txt", "--library", "story", "--title", "白石渡", "--aliases", "aliases.json"],
        ["entities", "merge", "阿满", "周老三", "--library", "story"],
        ["knowledge", "import", "ships.json", "--network", "ships", "--out", "inferred"],
        ["memory", "add", "我最喜欢的人物是沈青。", "--key", "favourite", "--user", USER],
        ["memory", "add", "铜灯的钥匙藏在米缸里。", "--key", "safe", "--user", USER, "--sensitive"],
        ["docs", "add", "handbook.md", "--session", SESSION, "--user", USER],
        ["ask", "沈河的左腿是怎么断的？", "--library", "story", "--thread", SESSION, "--user", USER],
        ["keys", "add", "--user", USER],
    ]


def write(program: str, archive: Path) -> None:
    """Run the commands and pack what they left."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**os.environ, "DATA_DIR": str(folder / "data"), "TRACE_DIR": str(folder / "traces")}
        printed = [run([program, *command], folder, environment) for command in commands(folder)]
        (folder / "key.txt").write_text(printed[-1].split()[0], encoding="utf-8")
        # GNU tar keeps the holes of the engine's files: 600 MB of them are zeros.
        subprocess.run(["tar", "--sparse", "-C", name, "-cJf", str(archive.absolute()), "data", "key.txt"], check=True)


def run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a command and return what it prints."""
    done = subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the installed wenmai of that version")
    parser.add_argument("archive", type=Path, help="the .tar.xz to write")
    arguments = parser.parse_args()
    write(arguments.program, arguments.archive)
