"""The `wenmai` command in a folder of its own, and a story of three chapters."""

import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.command_line import inherited, run_command

WENMAI = str(Path(sys.executable).with_name("wenmai"))
TIMEOUT = 120
STORY = """第一章 归舟

沈青在白石渡等了三年。这年春天，她的哥哥沈河终于摇着一条旧船回来了，船头挂着一盏缺了角的铜灯。

“灯油还剩七滴。”沈河说，“够照到对岸。”

沈青接过铜灯，看见灯座底下刻着四个字：风停即返。

第二章 对岸

沈河在对岸开了一间茶铺，铺子里的伙计叫阿满，今年十四岁，会吹柳笛。

沈青问阿满：“你这支柳笛是谁教的？”

阿满说：“是摆渡的周老三教的。他教我的时候收了两个铜板。”

第三章 大水

六月里发了大水，周老三的渡船被冲走了。沈河跳进水里，把周老三拖上了岸，自己的左腿却被石头砸断了。

从那以后，沈河走路离不开拐杖。沈青把铜灯挂在茶铺门口，说：“风停了，你也不必再走了。”
"""

# What a grader answers whose draft passes.
GRADE = {
    "question_type": "fact",
    "scores": {"tool_usage": 18, "evidence": 18, "completeness": 16, "citation": 16, "depth": 14},
    "claims": [{"text": "论断", "marks": [1], "supported": "yes"}],
}
ALIASES = {
    "mention": {"沈青": [], "沈河": [], "阿满": ["满儿"], "周老三": [], "白石渡": []},
    "type": {"白石渡": "Location"},
}


def heed_interrupts() -> None:
    """Let a child heed Ctrl-C even where this run was started in the background of a shell, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class Cli:
    """Runs commands in a folder of their own, with an empty home."""

    folder: Path
    timeout_s: float = TIMEOUT

    def environment(self, **settings: str) -> dict[str, str]:
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        return {**inherited(), "HOME": str(home), "PYTHONWARNINGS": "error", **settings}

    def run(self, *arguments: str, stdin: str = "", **settings: str) -> "subprocess.CompletedProcess[str]":
        """Run a command inside this process."""
        return run_command(arguments, folder=self.folder, environment=self.environment(**settings), stdin=stdin)

    def spawn(self, *arguments: str, stdin: str | None = None, **settings: str) -> "subprocess.CompletedProcess[str]":
        """Run the installed command in a process of its own."""
        return subprocess.run(
            [WENMAI, *arguments],
            cwd=self.folder,
            env=self.environment(**settings),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            encoding="utf-8",
            timeout=self.timeout_s,
            check=False,
        )

    def start(self, *arguments: str, **settings: str) -> "subprocess.Popen[str]":
        """Start the installed command in a process of its own."""
        return subprocess.Popen(
            [WENMAI, *arguments],
            cwd=self.folder,
            env=self.environment(**settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            preexec_fn=heed_interrupts,
        )
