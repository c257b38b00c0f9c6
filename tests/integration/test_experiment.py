"""`wenmai experiment --mind gemini`: the loopback service plays the agent and the judge."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.gemini.fixtures import gemini, gemini_server
from tests.gemini.parts import as_json, call, text
from tests.gemini.replies import always, turn, usage
from tests.gemini.space import LOOPBACK_MODEL, Gemini
from tests.integration.cli_story import ALIASES, GRADE, STORY, Cli
from wenmai.experiments.judge import JUDGE

__all__ = ["gemini", "gemini_server"]

GRADER, JUDGING = "gemini-99-grader", "gemini-99-judge"
ROWS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "type": "fact",
        "question": "沈河的左腿是怎么断的？",
        "gold": [{"chapter": 3, "quote": "左腿却被石头砸断了"}],
        "expect": [["石头"]],
    },
    {"id": "q2", "type": "unanswerable", "question": "沈河的手机号码是多少？", "answerable": False},
    *({"id": f"q{n}", "type": "fact", "question": f"阿满会吹什么？（{n}）"} for n in range(3, 6)),
]
PRICES = {name: {"input": 1.0, "output": 10.0} for name in (LOOPBACK_MODEL, GRADER, JUDGING)}
TOKENS = usage(1000, 100)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A folder with the story in the library `river`, and questions."""
    found = Cli(tmp_path_factory.mktemp("experiment"))
    (found.folder / "story.txt").write_text(STORY, encoding="utf-8")
    (found.folder / "aliases.json").write_text(json.dumps(ALIASES), encoding="utf-8")
    lines = [json.dumps(row, ensure_ascii=False) for row in ROWS]
    (found.folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = found.run("ingest", "story.txt", "--library", "river", "--aliases", "aliases.json")
    assert done.returncode == 0, done.stderr
    return found


def experiment(cli: Cli, *options: str, **settings: str) -> Any:
    """Run an experiment on the library."""
    words = ("experiment", "--library", "river", "--questions", "questions.jsonl", "--json", "figures.json", *options)
    (cli.folder / "figures.json").unlink(missing_ok=True)
    return cli.run(*words, **settings)


def served(gemini: Gemini) -> dict[str, str]:
    """Return the settings of a deployment on the loopback service, each role with a model of its own."""
    gemini.know(GRADER, JUDGING)
    return {
        "GOOGLE_API_KEY": gemini.key,
        "GEMINI_BASE_URL": gemini.url,
        "GEMINI_MODEL": LOOPBACK_MODEL,
        "GRADER_MODEL": GRADER,
        "JUDGE_MODEL": JUDGING,
        "MODEL_PRICES": json.dumps(PRICES),
    }


def figures(cli: Cli) -> Any:
    """Return what --json wrote."""
    return json.loads((Path(cli.folder) / "figures.json").read_text(encoding="utf-8"))


def test_agent_and_judge(cli: Cli, gemini: Gemini) -> None:
    """S003-23 S000-D16: the same table, with the judge's scores, tokens and money; --limit bounds the turns."""
    gemini.play(
        turn(text("内心独白"), call("search_memory", {"query": "沈河 左腿"}), tokens=TOKENS),
        turn(text("被石头砸断的[E1]。"), tokens=TOKENS),
        turn(call("search_memory", {"query": "沈河 手机"}), tokens=TOKENS),
        turn(text("原文没有提到[E1]。"), tokens=TOKENS),
        model=LOOPBACK_MODEL,
    )
    gemini.play(always(turn(as_json(GRADE), tokens=TOKENS)), model=GRADER)
    opinion = {"correct": 10, "supported": 8.0, "complete": 12, "reason": "一致"}
    gemini.play(always(turn(as_json(opinion), tokens=TOKENS)), model=JUDGING)
    done = experiment(cli, "--mind", "gemini", "--limit", "2", **served(gemini))
    assert done.returncode == 0, done.stderr
    gemini.assert_clean()
    head = next(line for line in done.stdout.splitlines() if "recall@10" in line)
    assert [word for word in ("judge", "tokens", "usd") if word not in head] == []
    row = figures(cli)["types"]["all"]
    calls = 2 * 4  # the grader sees both drafts
    assert (row["n"], row["tokens"]) == (2, calls * 1100)
    assert row["judge"] == pytest.approx((1 + 0.8 + 1) / 3) and row["usd"] == pytest.approx(calls * 0.002)
    first, second = figures(cli)["turns"]
    assert first["judged"]["reasons"] == {"judge": "一致"}
    assert (first["mind"], first["judged"]["usage"]["calls"], first["usage"]["calls"]) == ("gemini", 1, 3)
    assert second["usage"]["calls"] == 3
    judged = [one for one in gemini.history if one.model == JUDGING]
    assert [one.system for one in judged] == [JUDGE["zh"]] * 2
    assert "被石头砸断的[1]。" in judged[0].prompt and "左腿却被石头砸断了" in judged[0].prompt
    assert "故事中没有答案" in judged[1].prompt
    assert "内心独白" not in str([one.body for one in judged]) and second["type"] == "unanswerable"


def test_without_a_key_it_is_one_line(cli: Cli) -> None:
    """S000-40: the variable is named, nothing is asked."""
    done = experiment(cli, "--mind", "gemini")
    assert (done.returncode, done.stdout) == (2, "")
    assert "GOOGLE_API_KEY" in done.stderr and len(done.stderr.strip().splitlines()) == 1
    assert not (cli.folder / "figures.json").exists()


def test_a_key_alone_costs_nothing(cli: Cli, gemini: Gemini) -> None:
    """LOP-09: without --mind gemini the offline mind answers, though there is a key."""
    done = experiment(cli, "--limit", "1", **served(gemini))
    assert done.returncode == 0, done.stderr
    assert gemini.history == [] and "judge" not in done.stdout and "usd" not in done.stdout
    assert figures(cli)["turns"][0]["mind"] == "offline"


def test_a_dead_model_ends_it(cli: Cli, gemini: Gemini) -> None:
    """S003-03 LOP-11: a wrong key is no answer of another mind; after three turns it stops and keeps what it has."""
    settings = served(gemini) | {"GOOGLE_API_KEY": "wrong"}
    done = experiment(cli, "--mind", "gemini", "--no-judges", **settings)
    assert done.returncode == 1
    assert "连续 3 轮" in done.stderr and "GOOGLE_API_KEY" in done.stderr.splitlines()[-1]
    assert [one["mind"] for one in figures(cli)["turns"]] == ["gemini"] * 3
    assert [one["failed"] for one in figures(cli)["turns"]] == [True] * 3 and "failed" in done.stdout
