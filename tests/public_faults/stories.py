"""Faults of names, quotes and deletion: c14 c16 c23."""

from collections.abc import Iterator

from tests.public_faults.running import Case, Step

ENGLISH = (
    "Chapter 1\n\nThe town called her Mrs. Gray. Mrs. Gray gave the green umbrella to Dr. Holt, 263.5 metres "
    "above the sea. Tom ran home.\n\nChapter 2\n\nDr. Holt lost it in the mill. “Where is it?” asked Mrs. Gray.\n"
)
SCENES = (
    "{0}在码头等船，{1}站在他身后，谁也没有开口。",
    "“你要走了吗？”{1}问。{0}点了点头。",
    "{0}把一封信交给{1}，请她保管到春天。",
    "那天夜里{1}读完了信，{0}已经上了火车。",
    "{0}想起{1}在花园里说过的话。",
    "{1}说：“我会等你。”{0}没有回头。",
    "雨下了一整天，{0}和{1}坐在窗边下棋。",
    "{0}的哥哥不喜欢{1}，从不和她说话。",
)


def translated(dot: str, people: tuple[str, str, str, str]) -> str:
    """Return eight chapters of 64 sentences in which four people meet in pairs."""
    full = [one.replace("·", dot) for one in people]
    pairs = [(full[0], full[1]), (full[2], full[3]), (full[0], full[2]), (full[1], full[3])] * 2
    chapters = []
    for at, (first, second) in enumerate(pairs, 1):
        lines = [scene.format(first, second) for scene in SCENES]
        short = f"{first.split(dot)[0]}笑了笑。{second.split(dot)[-1]}小姐也笑了。"
        chapters.append("\n".join([f"第{'一二三四五六七八'[at - 1]}章 相遇", *lines, short]))
    return "\n".join(chapters)


GERMAN = ("爱德华·格雷", "玛丽·霍尔特", "托马斯·布伦纳", "安娜·霍尔特")
RUSSIAN = ("伊凡·彼得罗夫", "索菲亚·伊万诺娃", "谢尔盖·沃尔科夫", "娜塔莎·伊万诺娃")


def names() -> Iterator[Case]:
    for name, dot, people in (
        ("row", "·", GERMAN),
        ("wide", "・", GERMAN),
        ("bullet", "•", GERMAN),
        ("russian", "·", RUSSIAN),
    ):
        shown = tuple(one.replace("·", dot) for one in people)
        given = shown[0].split(dot)[0]
        yield Case(
            "c14",
            name,
            {"b.txt": translated(dot, people)},
            (
                Step("ingest b.txt --library w"),
                Step("entities list --library w", (*shown, given)),
                Step(
                    f"ask {given}和{shown[1].split(dot)[0]}是什么关系？ --library w --json", (f'"{shown[0]}"', shown[1])
                ),
            ),
        )


def quotes() -> Iterator[Case]:
    yield Case(
        "c16",
        "row",
        {"e.txt": ENGLISH},
        (
            Step("ingest e.txt --library e"),
            Step(
                "ask 'Who is Mrs. Gray?' --library e",
                ('The town called her Mrs. Gray."',),
                ('her Mrs."', ': "Gray gave'),
            ),
        ),
    )
    yield Case(
        "c16",
        "decimals",
        {"e.txt": ENGLISH},
        (
            Step("ingest e.txt --library e"),
            Step(
                "ask 'To whom did Mrs. Gray give the green umbrella?' --library e",
                ('"Mrs. Gray gave the green umbrella to Dr. Holt, 263.5 metres above the sea."',),
            ),
        ),
    )
    yield Case(
        "c16",
        "initials",
        {"e.txt": "Chapter 1\n\nThe house belonged to J. R. Finch of St. Ives. He sold it at 4 p.m. on Friday.\n"},
        (
            Step("ingest e.txt --library e"),
            Step(
                "ask 'To whom did the house belong?' --library e", ('"The house belonged to J. R. Finch of St. Ives."',)
            ),
        ),
    )
    spoken = "第一章 雨\n老秦说：“船票是三点五元。别丢了！”周屿点头。\n第二章 信\n“是谁写的？”周屿问。"
    spoken += "“是我女儿秦晚。”老秦说。\n"
    yield Case(
        "c16",
        "closing-marks",
        {"c.txt": spoken},
        (
            Step("ingest c.txt --library c"),
            Step("ask 船票多少钱？ --library c", ("三点五元",), ("：「”", "：「“」")),
        ),
    )


def deletions() -> Iterator[Case]:
    other = "Chapter 1\n\nThe baker slept. Nobody came to the shop that day.\n"
    for name, more, kept in (("row", "", True), ("everything", " --everything", False)):
        gone = () if kept else ("umbrella",)
        yield Case(
            "c23",
            name,
            {"e.txt": ENGLISH, "o.txt": other},
            (
                Step("ingest e.txt --library e"),
                Step("ask 'To whom did Mrs. Gray give the green umbrella?' --library e --thread t", ("Dr. Holt",)),
                Step(f"delete e --yes{more}", ("会话", "轨迹")),
                Step("ingest o.txt --library e"),
                Step("ask 'What did she give him?' --library e --thread t", (), ("umbrella",)),
                Step("trace", lacks=gone),
            ),
        )
    yield Case(
        "c23",
        "another-library-stays",
        {"e.txt": ENGLISH, "o.txt": other},
        (
            Step("ingest e.txt --library e"),
            Step("ingest o.txt --library o"),
            Step("ask 'Who slept?' --library o --thread o", ("baker",)),
            Step("ask 'Who is Mrs. Gray?' --library e --thread e"),
            Step("delete e --yes --everything"),
            Step("trace", ("Who slept?",), ("Mrs. Gray",)),
            Step("ask 'Who slept?' --library o --thread o", ("baker",)),
        ),
    )
    yield Case(
        "c23",
        "one-source",
        {"e.txt": ENGLISH, "o.txt": other},
        (
            Step("ingest e.txt --library e"),
            Step("ingest o.txt --library e"),
            Step("delete e --source e --yes", ("会话", "轨迹")),
            Step("ask 'To whom did Mrs. Gray give the green umbrella?' --library e", (), ("Dr. Holt",)),
            Step("ask 'Who slept?' --library e", ("baker",)),
        ),
    )


CASES = (*names(), *quotes(), *deletions())
