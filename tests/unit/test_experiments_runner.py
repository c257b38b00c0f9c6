"""Data sets, runner and report, on a scripted agent."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from langsmith import Client
from langsmith.schemas import Run

from tools.errors import InputError
from wenmai.app import sample
from wenmai.cli.commands.experiment import remarks
from wenmai.experiments import questions, runner, tracking

QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "type": "fact", "question": "谁？", "gold": [{"chapter": 3, "quote": "石敢"}], "expect": [["石敢"]]},
    {"id": "q2", "type": "unanswerable", "question": "手机？", "gold": [], "expect": [], "answerable": False},
]
SESSION: dict[str, Any] = {
    "id": "s1",
    "turns": [
        {"question": "石敢是谁？", "names": ["石敢"], "self_contained": True, "gold": []},
        {"question": "他多大？", "names": ["石敢"], "self_contained": False, "gold": []},
    ],
}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", encoding="utf-8")
    return path


@dataclass
class ScriptedAnswer:
    record: dict[str, Any]


@dataclass
class ScriptedAgent:
    """Gives one answer to every question and keeps what it was asked."""

    answer: str = "是石敢。"
    status: str = "answer"
    asked: list[tuple[str, str | None, dict[str, Any]]] = field(default_factory=list)

    async def ask(self, question: str, *, thread_id: str | None = None, **context: Any) -> ScriptedAnswer:
        self.asked.append((question, thread_id, context))
        return ScriptedAnswer(
            {
                "question": question,
                "resolved_question": question.replace("他", "石敢"),
                "answer": self.answer,
                "status": self.status,
                "confidence": None,
                "passed": True if self.status == "answer" else None,
                "grade": {"score": 80} if self.status == "answer" else None,
                "citations": [{"evidence": "p1", "quote": "石敢"}],
                "evidence": [{"id": "p1", "text": "木匠石敢", "part": 1, "chapter": 3}],
                "trace": None,
                "trace_id": "t",
            }
        )


@dataclass
class Ticks:
    """A clock that moves one second a look."""

    now: float = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


async def outcomes(path: Path, agent: ScriptedAgent) -> list[runner.TurnOutcome]:
    single = questions.load_questions(write(path / "q.jsonl", QUESTIONS))
    talks = questions.load_sessions(write(path / "s.jsonl", [SESSION]))
    context = {"library": "sample"}
    return [o async for o in runner.run(agent, [*single, *talks], {}, context=context, clock=Ticks())]


async def test_every_conversation_has_its_own_thread(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    await outcomes(tmp_path, agent)
    threads = [thread for _, thread, _ in agent.asked]
    assert len(set(threads)) == 3
    assert threads[2] == threads[3]
    assert all(context == {"library": "sample"} for _, _, context in agent.asked)


async def test_turns_are_measured_and_timed(tmp_path: Path) -> None:
    found = await outcomes(tmp_path, ScriptedAgent())
    assert [outcome.seconds for outcome in found] == [1.0] * 4
    assert found[0].scores["recall@10"] == found[0].scores["words"] == 1.0
    assert found[1].scores["refused"] == 0.0
    assert found[2].scores["unchanged"] == found[3].scores["resolved"] == 1.0


async def test_table_has_a_row_per_type_and_one_of_all(tmp_path: Path) -> None:
    found = await outcomes(tmp_path, ScriptedAgent())
    rows = runner.by_type(found)
    assert list(rows) == ["fact", "unanswerable", "session", "all"]
    assert rows["session"]["n"] == 2
    assert rows["all"]["recall@10"] == 1.0
    assert rows["unanswerable"]["recall@10"] is None
    assert runner.table(rows).row_count == 4
    assert json.loads(json.dumps(runner.plain(found)))["turns"][3]["resolved_question"] == "石敢多大？"


def test_no_outcome_no_row() -> None:
    assert runner.by_type([]) == {}


def test_rows_of_one_session_form_a_conversation(tmp_path: Path) -> None:
    rows = [{**QUESTIONS[0], "id": name, "session": session} for name, session in (("a", "x"), ("b", None), ("c", "x"))]
    found = questions.load_questions(write(tmp_path / "q.jsonl", rows))
    assert [(c.id, [turn.id for turn in c.turns]) for c in found] == [("x", ["a", "c"]), ("b", ["b"])]


def test_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"id": 1}\n{"id"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"q\.jsonl:2"):
        list(questions.rows(path))


def test_limit_counts_turns(tmp_path: Path) -> None:
    talks = questions.load_sessions(write(tmp_path / "s.jsonl", [SESSION, SESSION]))
    assert [len(c.turns) for c in runner.first_turns(talks, 3)] == [2, 1]
    assert runner.first_turns(talks, None) == talks


def test_sample_holds_what_its_readme_says() -> None:
    folder = sample.sample_folder()
    single = questions.load_questions(folder / sample.QUESTIONS)
    talks = questions.load_sessions(folder / sample.SESSIONS)
    turns = [turn for conversation in single + talks for turn in conversation.turns]
    assert len(turns) >= 80
    assert len(talks) >= 15
    assert sum(not turn.answerable for turn in turns) >= 10
    story = "".join((folder / sample.STORY).read_text(encoding="utf-8").split())
    missing = [gold.quote for turn in turns for gold in turn.gold if "".join(gold.quote.split()) not in story]
    assert missing == []


def test_sample_elsewhere_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--path"):
        sample.sample_folder(tmp_path)


@pytest.mark.filterwarnings("ignore:'upload_results' parameter is in beta")
async def test_langsmith_runs_each_conversation_on_one_thread(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    talks = questions.load_sessions(write(tmp_path / "s.jsonl", [SESSION]))
    client = Client(api_url="http://127.0.0.1:9", api_key="none", auto_batch_tracing=False, info={})
    _, found = await tracking.evaluate(
        agent, "sample", talks, {}, context={"library": "x"}, client=client, upload=False
    )
    assert [outcome.turn.question for outcome in found] == ["石敢是谁？", "他多大？"]
    assert found[1].scores["resolved"] == 1.0
    assert len({thread for _, thread, _ in agent.asked}) == 1


def test_examples_keep_their_ids_until_they_change() -> None:
    talk = questions.ExpectedTalk("s1", (questions.ExpectedTurn(id="1", type="fact", question="谁？"),))
    other = questions.ExpectedTalk("s1", (questions.ExpectedTurn(id="1", type="fact", question="谁呀？"),))
    ids = [tracking.examples("sample", [c])[0].id for c in (talk, talk, other)]
    assert ids[0] == ids[1] != ids[2]


def test_langsmith_scores_are_means_over_the_turns() -> None:
    turns = (
        questions.ExpectedTurn(id="1", type="fact", question="谁？", expect=(("石敢",),)),
        questions.ExpectedTurn(id="2", type="fact", question="谁？", expect=(("孟鸢",),)),
    )
    example = tracking.examples("sample", [questions.ExpectedTalk("s1", turns)])[0]
    record = {"answer": "石敢", "resolved_question": "谁？", "evidence": [], "citations": []}
    run = Run.model_construct(outputs={"turns": [record, record]})
    results = tracking.evaluator({})(run, example)["results"]
    assert {row["key"]: row["score"] for row in results} == {"words": 0.5, "wrongly_refused": 0.0}


async def test_turns_of_the_offline_mind_are_marked(tmp_path: Path) -> None:
    """LOP-11: a degraded turn is marked in its row, counted in the table, and one line says whose scores those are."""
    plain = await outcomes(tmp_path, ScriptedAgent())
    assert "degraded" not in runner.by_type(plain)["all"] and remarks(runner.by_type(plain)["all"]) == []
    plain[1] = replace(plain[1], record={**plain[1].record, "degraded": True})
    rows = runner.by_type(plain)
    assert (rows["all"]["degraded"], rows["unanswerable"]["degraded"], rows["fact"].get("degraded")) == (1, 1, None)
    assert [turn["degraded"] for turn in runner.plain(plain)["turns"]] == [False, True, False, False]
    assert [str(column.header) for column in runner.table(rows).columns][-1] == "degraded"
    (line,) = remarks(rows["all"])
    assert line.startswith("有 1 轮在模型失败后由内置的阅读模型离线")


async def test_a_turn_without_an_answer_is_marked(tmp_path: Path) -> None:
    """LOP-11: an apology is marked as failed in its row, counted in the table, and one line says so."""
    plain = await outcomes(tmp_path, ScriptedAgent())
    assert "failed" not in runner.by_type(plain)["all"]
    plain[1] = replace(plain[1], record={**plain[1].record, "status": "failed", "warning": "503"})
    rows = runner.by_type(plain)
    assert (rows["all"]["failed"], rows["unanswerable"]["failed"], rows["fact"].get("failed")) == (1, 1, None)
    assert [turn["failed"] for turn in runner.plain(plain)["turns"]] == [False, True, False, False]
    assert [str(column.header) for column in runner.table(rows).columns][-1] == "failed"
    assert "1 轮没有得到回答" in remarks(rows["all"])[0]


async def test_refusals_are_reported_without_a_score(tmp_path: Path) -> None:
    """LOP-12: what was not found has neither grade nor verdict, and counts as refused."""
    found = await outcomes(tmp_path, ScriptedAgent(answer="书里没有写。", status="not_found"))
    assert [outcome.scores["refused"] for outcome in found] == [None, 1.0, None, None]
    assert runner.by_type(found)["fact"]["wrongly_refused"] == 1.0
    rows = runner.plain(found)["turns"]
    assert {(row["status"], row["score"], row["passed"], row["failed"]) for row in rows} == {
        ("not_found", None, None, False)
    }
    assert tracking.row_of(found[1])["status"] == "not_found"
