"""The verdict: what the reader thinks of the sentences that a draft cites."""

from dataclasses import replace

import pytest

from nodes.grade import grade_from
from nodes.policy import DIMENSION_MAX
from nodes.roles import GradeRequest, Verdict
from state.draft import Draft, Note, Sentence
from state.schema import Evidence
from tests.graph.rig import LIBRARY, piece
from tests.unit.minds.rooms import Fetched, Words, call_of, graded_of, mind_of
from tests.unit.minds.scripted import ScriptedReader
from tests.unit.tools.world import World
from tools.evidence import MEETING
from wenmai.minds.offline.grading import ReaderGrader
from wenmai.minds.offline.questions.question import QuestionParts, understood
from wenmai.minds.offline.reading import chance, read

QUESTION = "卡齐娜得到了什么？"
SENTENCE = "卡齐娜终于获得了自己的古名。"
DRAFT = f"{SENTENCE} [E1]"
SURE, UNSURE = 30.0, -30.0
SEARCH = call_of("search_memory", {"query": QUESTION}, ["p1"])


async def verdict_of(request: GradeRequest, words: Words | None, world: World | None = None) -> Verdict:
    """Return a verdict; without words there is no reader."""
    mind = await mind_of(None if words is None else ScriptedReader(words), world)
    return await mind.grader.grade(request)


async def test_a_sure_answer_passes_with_the_readers_probability() -> None:
    verdict = await verdict_of(graded_of(QUESTION, DRAFT, [piece(SENTENCE)], SEARCH), {"古名": SURE})

    assert grade_from(verdict)["passed"] and verdict.scores["tool_usage"] == verdict.scores["citation"] == DIMENSION_MAX
    assert verdict.confidence is not None and verdict.confidence > 0.9
    assert verdict.scores["evidence"] == round(DIMENSION_MAX * verdict.confidence)
    assert len({verdict.scores["evidence"], verdict.scores["completeness"], verdict.scores["depth"]}) == 3


async def test_an_unsure_answer_fails_with_a_suggestion() -> None:
    verdict = await verdict_of(graded_of(QUESTION, DRAFT, [piece(SENTENCE)], SEARCH), {"古名": UNSURE})

    assert not grade_from(verdict)["passed"] and verdict.suggestion
    assert verdict.confidence is not None and verdict.confidence < 0.1


async def test_the_gates_are_the_same_for_every_type() -> None:
    """S003-18, S003-D02: a history is ordered events, which the reader must be sure of as of any answer."""
    for question, kind in (
        ("卡齐娜经历了什么？", "journey"),
        (QUESTION, "fact"),
        ("恰斯卡和卡齐娜是什么关系？", "relation"),
    ):
        sure, unsure = [
            await verdict_of(graded_of(question, DRAFT, [piece(SENTENCE)], SEARCH), {"古名": score})
            for score in (SURE, UNSURE)
        ]
        assert sure.question_type == kind
        assert (grade_from(sure)["passed"], grade_from(unsure)["passed"]) == (True, False)
        assert "depth" in grade_from(unsure)["fail_reason"]


async def test_only_the_first_line_must_answer() -> None:
    evidence = [piece(SENTENCE, 1), piece("天亮了。", 2)]
    both = f"{DRAFT}\n另见：天亮了。 [E2]"
    other = f"天亮了。 [E2]\n另见：{DRAFT}"

    right = await verdict_of(graded_of(QUESTION, both, evidence, SEARCH), {"古名": SURE})
    wrong = await verdict_of(graded_of(QUESTION, other, evidence, SEARCH), {"古名": SURE})

    assert (right.confidence or 0) > 0.9 and wrong.confidence == 0.0


async def test_a_draft_without_a_mark_answers_nothing() -> None:
    verdict = await verdict_of(graded_of(QUESTION, SENTENCE, [piece(SENTENCE)], SEARCH), {"古名": SURE})

    assert verdict.confidence == 0.0 and verdict.scores["citation"] == verdict.scores["evidence"] == 0


async def test_a_draft_that_says_how_sure_it_is_is_not_read_again() -> None:
    request = graded_of(QUESTION, DRAFT, [piece(SENTENCE)], SEARCH)
    sure = replace(request, draft={**request.draft, "confidence": 0.9})

    assert (await verdict_of(sure, {"古名": UNSURE})).confidence == 0.9


async def test_an_answer_is_judged_by_the_curve_and_the_bounds_that_gave_it() -> None:
    """LOP-09: a story's own curve, and English prose of a file answers from a lower probability on."""
    question, reader = "卡齐娜获得古名了吗？", ScriptedReader({"古名": 0.0})
    mind = await mind_of(reader)
    assert isinstance(mind.grader, ReaderGrader)
    table = await mind.grader.linker.table(LIBRARY, None)
    asked = QuestionParts.of(understood(question, table), table)
    best, *_ = await read(reader, question, asked, [piece(SENTENCE)])
    verdict = await mind.grader.grade(graded_of(question, DRAFT, [piece(SENTENCE)], SEARCH))
    assert verdict.confidence == round(chance(question, best), 2) != round(best.probability, 2)

    text = "The mill was sold to Nora Vale."
    prose = piece(text, kind="document")
    request = graded_of("Who bought the mill?", f"{text} [E1]", [prose], SEARCH)
    unsure = replace(request, draft={**request.draft, "confidence": 0.15})
    assert (await verdict_of(unsure, {})).scores["completeness"] > 0
    story = replace(unsure, evidence=[piece(text)])
    assert (await verdict_of(story, {})).scores["completeness"] == 0


@pytest.mark.parametrize(
    ("question", "found"),
    [("谁帮了卡齐娜？", []), ("谁先得到古名，卡齐娜还是恰斯卡？", ["卡齐娜"])],
    ids=["said", "offered"],
)
async def test_a_name_that_the_question_says_itself_answers_no_who(question: str, found: list[str]) -> None:
    """LOP-09: but where the question offers names to choose from, one of them does."""
    mind = await mind_of(reader := ScriptedReader({"卡齐娜": SURE}))
    assert isinstance(mind.grader, ReaderGrader)
    asked = QuestionParts.of(understood(question, table := await mind.grader.linker.table(LIBRARY, None)), table)
    rows = await read(reader, question, asked, [piece(SENTENCE)])
    assert [one.answer for one in rows] == found


async def test_an_extract_claims_little() -> None:
    """Words that are shared answer nothing by themselves."""
    extract = await verdict_of(graded_of(SENTENCE, DRAFT, [piece(SENTENCE)], SEARCH), None)

    assert 0 < (extract.confidence or 0) < 0.5


@pytest.mark.parametrize("fields", [{"ok": False}, {"executed": False}])
async def test_calls_that_failed_are_no_use_of_tools(fields: dict[str, bool]) -> None:
    call = call_of("search_memory", {"query": QUESTION}, **fields)

    verdict = await verdict_of(graded_of(QUESTION, DRAFT, [piece(SENTENCE)], call), {"古名": SURE})

    assert verdict.scores["tool_usage"] == 0


async def test_what_a_graph_says_of_the_asked_relation_needs_no_reading() -> None:
    world = World()
    evidence = await Fetched(world)(("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"}))
    number = next(at for at, one in enumerate(evidence, 1) if one["kind"] == "relation")
    draft = f"恰斯卡 → 卡齐娜：一见如故 [E{number}]"

    joined = await verdict_of(graded_of("恰斯卡和卡齐娜是什么关系？", draft, evidence, SEARCH), {}, world)
    another = await verdict_of(graded_of("恰斯卡在哪里遇见了卡齐娜？", draft, evidence, SEARCH), {}, world)

    assert (joined.confidence or 0) > 0.7 and (another.confidence or 0) < 0.1


async def test_what_the_book_itself_says_needs_no_reading() -> None:
    listed: Evidence = {**piece(SENTENCE), "tool": "list_characters"}
    document: Evidence = {**listed, "kind": "document"}

    told, other = [
        await verdict_of(graded_of("主要人物有谁？", "主要人物有卡齐娜。 [E1]", [one], SEARCH), {})
        for one in (listed, document)
    ]

    assert (told.confidence or 0) > 0.7 and (other.confidence or 0) < 0.1


async def test_a_memory_is_as_sure_as_its_recall_where_the_reader_sees_less() -> None:
    memory: Evidence = {**piece("用户最喜欢卡齐娜。"), "kind": "memory", "score": 0.7}

    verdict = await verdict_of(
        graded_of("我最喜欢谁？", "用户最喜欢卡齐娜。 [E1]", [memory], SEARCH), {"卡齐娜": UNSURE}
    )

    assert verdict.confidence == 0.7


async def test_without_a_reader_the_words_of_the_question_count() -> None:
    near = await verdict_of(graded_of("卡齐娜获得了自己的什么古名？", DRAFT, [piece(SENTENCE)], SEARCH), None)
    far = await verdict_of(graded_of("基尼奇几岁？", DRAFT, [piece(SENTENCE)], SEARCH), None)

    assert (near.confidence or 0) > (far.confidence or 0)


async def test_lines_without_a_mark_that_names_evidence_cost_citation() -> None:
    async def points(draft: str) -> int:
        return (await verdict_of(graded_of(QUESTION, draft, [piece(SENTENCE)]), {})).scores["citation"]

    assert await points(DRAFT) == DIMENSION_MAX
    assert await points(f"{DRAFT}\n没有出处。") == DIMENSION_MAX // 2
    assert await points("") == 0


async def test_completeness_is_what_the_answer_says_of_each_part_that_it_answers() -> None:
    """LOP-09: a part that no line answers has none, is named, and is searched for next."""
    question, more = "卡齐娜得到了什么，恰斯卡去了哪里？", piece("恰斯卡去了集市。", 2)
    words = {"得到": {"古名": SURE}, "去了": {"集市": SURE}}
    evidence = [piece(SENTENCE), more]

    half = await verdict_of(graded_of(question, DRAFT, evidence, SEARCH), words)
    whole = await verdict_of(graded_of(question, f"{DRAFT}\n恰斯卡去了集市。 [E2]", evidence, SEARCH), words)

    assert (half.suggestion, list(half.queries)) == ("没有回答“恰斯卡去了哪里？”。", ["恰斯卡去了哪里？"])
    assert not grade_from(half)["passed"] and (half.confidence or 0) <= 0.5
    assert grade_from(whole)["passed"] and (whole.suggestion, list(whole.queries)) == ("", [])
    assert whole.scores["completeness"] > half.scores["completeness"]


async def test_a_question_beyond_the_most_parts_counts_too() -> None:
    """LOP-09: three of four answered are not the whole."""
    question = "卡齐娜得到了什么？恰斯卡去了哪里？基尼奇是谁？玛薇卡几岁？"
    texts = [SENTENCE, "恰斯卡去了集市。", "基尼奇是猎人。", "玛薇卡二十岁。"]
    words = {"得到": {"古名": SURE}, "去了": {"集市": SURE}, "是谁": {"猎人": SURE}, "几岁": {"二十": SURE}}
    evidence = [piece(text, at) for at, text in enumerate(texts, 1)]
    lines = [f"{text} [E{at}]" for at, text in enumerate(texts, 1)]

    most, every = [
        (await verdict_of(graded_of(question, "\n".join(some), evidence, SEARCH), words)).scores["completeness"]
        for some in (lines[:3], lines)
    ]

    assert most < every


@pytest.mark.parametrize(
    ("question", "answer", "is_deep", "suggestion"),
    [
        ("卡齐娜得到了几个古名？", "卡齐娜得到了两个古名，都是恰斯卡取的。", True, ""),
        ("卡齐娜得到了几个古名？", "卡齐娜得到了自己的古名。", False, "问的是数目，回答里没有写出数目。"),
        ("卡齐娜说了什么？", "卡齐娜说：“古名就是我的命。”", True, ""),
    ],
)
async def test_depth_is_what_the_type_of_a_question_asks_for(
    question: str, answer: str, *, is_deep: bool, suggestion: str
) -> None:
    """S003-18: however sure the reader is."""
    request = graded_of(question, f"{answer} [E1]", [piece(answer)], SEARCH)
    verdict = await verdict_of(request, {"古名": SURE})

    assert (verdict.scores["depth"] >= 8, verdict.suggestion) == (is_deep, suggestion)
    assert verdict.question_type == ("detail" if "说了" in question else "fact")


async def test_a_relation_of_which_only_talk_is_known_is_shallow() -> None:
    """S003-18: at most 5 points, and the suggestion asks for events."""
    edge = {"source": "恰斯卡", "type": MEETING, "target": "卡齐娜", "description": ""}
    talk = piece("恰斯卡和卡齐娜说话", kind="relation", edge=edge, quote="恰斯卡对卡齐娜说")
    request = graded_of("恰斯卡和卡齐娜是什么关系？", "恰斯卡和卡齐娜说话 [E1]", [talk], SEARCH)
    verdict = await verdict_of(request, {"说话": SURE})

    assert verdict.scores["depth"] <= 5 and verdict.suggestion.startswith("只知道两人说过话")


async def test_a_flagged_line_is_no_citation_and_a_contradiction_is_a_hallucination() -> None:
    """S003-15: by what code found of a model's draft."""
    request = graded_of(QUESTION, DRAFT, [piece(SENTENCE)], SEARCH)
    flagged: Note = {"action": "flagged", "reason": "contradicted", "text": SENTENCE, "evidence": ["p1"]}
    doubtful: Sentence = {**request.draft["sentences"][0], "doubtful": True}
    draft: Draft = {**request.draft, "sentences": [doubtful], "notes": [flagged]}
    verdict = await verdict_of(replace(request, draft=draft), {"古名": SURE})

    grade = grade_from(verdict)
    assert (verdict.scores["citation"], grade["hallucination_detected"], grade["scores"]["evidence"]) == (0, True, 0)
    assert not grade["passed"] and verdict.suggestion


async def test_calls_that_found_nothing_are_little_use_of_tools() -> None:
    empty = call_of("search_memory", {"query": QUESTION})

    verdict = await verdict_of(graded_of(QUESTION, DRAFT, [piece(SENTENCE)], empty), {"古名": SURE})

    assert 0 < verdict.scores["tool_usage"] < DIMENSION_MAX // 2


async def test_without_a_reader_nothing_passes() -> None:
    verdict = await verdict_of(graded_of(SENTENCE, DRAFT, [piece(SENTENCE)], SEARCH), None)

    assert not grade_from(verdict)["passed"] and verdict.scores["citation"] == DIMENSION_MAX
