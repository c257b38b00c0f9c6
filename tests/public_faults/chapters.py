"""Faults of headings: c01 c02 c04 c05 c06 c07."""

from collections.abc import Iterator

from tests.public_faults.running import Case, Step, under

REFUSAL = "未能找到相关信息"
FOG = "他没有再说话，江上的雾一直不散。"
PROSE = (
    f"周屿在雨里捡到一只木匣。{FOG}",
    f"木匣里有一封没有署名的信。{FOG}",
    f"周屿把信交给了渡口的老秦。{FOG}",
    f"老秦把信烧了，说写信的人是他的女儿秦晚。{FOG}",
    f"秦晚在江对岸的学堂里教书。{FOG}",
)
LINES = (
    "The box was found under the old bridge by Tom Reed.",
    "Nobody in the village had ever seen such a letter before.",
    "Mr. Holt carried the letter to the ferry and said nothing.",
    "The letter was written by Anna Holt, the daughter of the ferryman.",
)
WRITER = "写信的人是谁？"


def book(*headings: str) -> str:
    return under(*headings, prose=PROSE)


def tale(*headings: str) -> str:
    return under(*headings, prose=LINES, join="\n\n")


def shown(*numbered: str, parts: int = 1, lacks: tuple[str, ...] = ()) -> Step:
    """Return a preview with these chapters, each as `number] title`."""
    rows = tuple(f"[{row}  " for row in numbered)
    return Step("ingest b.txt --preview", (f"{len(numbered)} 章，{parts} 部", *rows), lacks)


def guarded(at: int, more: str = "") -> tuple[Step, ...]:
    """Return the question that chapter `at` answers, under the guard before it and at it."""
    ask = f"ask {WRITER} --library g --as-of-chapter"
    return (
        Step(f"ingest b.txt --library g{more}"),
        Step(f"{ask} {at - 1}", (REFUSAL,), ("秦晚",)),
        Step(f"{ask} {at}", ("秦晚",), (REFUSAL,)),
    )


def heading_ends() -> Iterator[Case]:
    row = book("第一章 你是谁？", "第二章 快跑！", "第三章 信", "第四章 他来了……")
    found = shown("1] 第一章 你是谁？", "2] 第二章 快跑！", "3] 第三章 信", "4] 第四章 他来了……")
    yield Case("c01", "row", {"b.txt": row}, (found, *guarded(4)))
    quoted = book("第一章 “雨”", "第二章 「匣」！", "第三章 是她么？！", "第四章 “家”")
    found = shown("1] 第一章 “雨”", "2] 第二章 「匣」！", "3] 第三章 是她么？！", "4] 第四章 “家”")
    yield Case("c01", "quoted", {"b.txt": quoted}, (found, *guarded(4)))
    doubles = [
        f"第{number}回　{title}" for number, title in zip("一二三四", ("甲乙丙丁戊，己庚辛壬癸。",) * 4, strict=True)
    ]
    yield Case(
        "c01", "classical", {"b.txt": book(*doubles)}, (Step("ingest b.txt --preview", ("4 章，1 部",)), *guarded(4))
    )
    english = tale("Chapter 1: Who Are You?", "Chapter 2: Run!", "Chapter 3: “Home”", "Chapter 4: At Last...")
    ask = "ask 'Who wrote the letter?' --library g --as-of-chapter"
    yield Case(
        "c01",
        "english",
        {"b.txt": english},
        (
            shown(
                "1] Chapter 1: Who Are You?", "2] Chapter 2: Run!", "3] Chapter 3: “Home”", "4] Chapter 4: At Last..."
            ),
            Step("ingest b.txt --library g"),
            Step(f"{ask} 3", (), ("Anna",)),
            Step(f"{ask} 4", ("Anna Holt", "b, Chapter 4: At Last...")),
        ),
    )


def forms() -> Iterator[Case]:
    rows = {
        "brackets": ("【第三章】再会", "【第四章】雨"),
        "main-text": ("正文 第三章 雨", "正文 第四章 云"),
        "volume-joined": ("第一卷 潮起第三章 伞", "第一卷 潮起第四章 山"),
        "volume-before": ("卷一 第三章 山", "卷一 第四章 水"),
        "title-before": ("《书名》第三章 桥", "《书名》第四章 路"),
        "markdown-wide": ("＃ 第３章 风", "＃ 第４章 雪"),
        "lenticular": ("〖第三章〗再会", "〖第四章〗雨"),
        "tortoise": ("〔第三章〕 再会", "〔第四章〕 雨"),
        "colon": ("第三章：再会", "第四章：雨"),
        "spaced-digits": ("第 3 章　再会", "第 4 章　雨"),
        "number-dot": ("3、再会", "4、雨"),
        "parenthesised": ("（三）", "（四）"),
        "english-dot": ("chapter.3", "chapter.4"),
    }
    for name, headings in rows.items():
        yield Case(
            "c02", name, {"b.txt": book(*headings)}, (Step("ingest b.txt --preview", ("2 章，1 部", "[3] ", "[4] ")),)
        )


EXTRAS = ("第一章 a", "第二章 b", "番外 第一章 灯", "番外 第二章 海", "番外三 山", "番外篇：雪", "外传 一")


def extras() -> Iterator[Case]:
    yield Case(
        "c04",
        "row",
        {"b.txt": book(*EXTRAS)},
        (
            Step("ingest b.txt --preview", ("7 章，3 部", "第 2 部 番外：4 章", "第 3 部 外传：1 章")),
            Step("ingest b.txt --library x", ("7 章", "番外（4 章）")),
            Step("ask 番外第一章讲了什么？ --library x", ("《b》番外 第一章 灯", "老秦"), ("捡到",)),
        ),
    )
    yield Case(
        "c04",
        "epilogue",
        {"b.txt": book("楔子", "第一章 a", "第二章 b", "尾声")},
        (shown("0] 楔子", "1] 第一章 a", "2] 第二章 b", "3] 尾声"),),
    )
    yield Case(
        "c04",
        "side-story-guarded",
        {"b.txt": book("第一章 a", "第二章 b", "第三章 c", "番外一 秦晚")},
        (
            Step("ingest b.txt --library g"),
            Step(f"ask {WRITER} --library g --as-of-chapter 3", (REFUSAL,), ("女儿",)),
            Step(f"ask {WRITER} --library g", ("秦晚", "《b》番外一 秦晚")),
        ),
    )
    yield Case(
        "c04",
        "english",
        {"b.txt": tale("Chapter 1", "Chapter 2", "Epilogue")},
        (Step("ingest b.txt --preview", ("3 章，1 部", "[1] Chapter 1", "[2] Chapter 2", "[3] Epilogue")),),
    )


def prose() -> Iterator[Case]:
    before, after = book("第一章 雨", "第二章 匣"), f"第三章 江\n老秦承认写信的人是他的女儿秦晚，她在江对岸教书。{FOG}"
    lines = {
        "row": "第一回见面的时候，老秦没有认出他\n老秦只看了一眼木匣就走开了",
        "lesson": "第三节课上，她睡着了。\n窗外一直下雨。",
        "mention": "第三章里没有她的名字，他想\n他合上了书。",
        "quoted": "“第一章写得真好。”他说\n雨还没有停。",
        "days": "第二部分人先上了船\n剩下的人在岸上等。",
    }
    for name, line in lines.items():
        steps = (shown("1] 第一章 雨", "2] 第二章 匣", "3] 第三章 江"), *guarded(3))
        yield Case("c05", name, {"b.txt": f"{before}\n{line}\n{after}"}, steps)
    english = tale("Chapter 1", "Chapter 2").replace(
        "Nobody", "Chapter one of his life was over, he thought.\n\nNobody", 1
    )
    yield Case("c05", "english", {"b.txt": english}, (shown("1] Chapter 1", "2] Chapter 2"),))


def misnumbered() -> Iterator[Case]:
    kinds = {
        "row": (("第一章 a", "第三章 b", "第二章 c", "第三章 d", "第四章 e"), "重复"),
        "doubled": (("第一章 a", "第二章 b", "第二章 c", "第三章 d", "第四章 e"), "重复"),
        "skipped": (("第一章 a", "第二章 b", "第四章 c", "第五章 d", "第六章 e"), "缺第 3 章"),
        "typo": (("第一章 a", "第二章 b", "第一章 c", "第四章 d", "第五章 e"), "第 3 章"),
    }
    for name, (headings, warning) in kinds.items():
        yield Case(
            "c06",
            name,
            {"b.txt": book(*headings)},
            (
                Step("ingest b.txt --library o", ("5 章", warning), ("共 2 部",)),
                Step("libraries", (), ("b#2",)),
                Step("ask 秦晚在哪里教书？ --library o --as-of-chapter 6", ("江对岸",), (REFUSAL,)),
            ),
        )


def english() -> Iterator[Case]:
    spelled = tale("Chapter Twenty", "Chapter Twenty One", "Chapter Twenty Two", "Chapter One Hundred and One")
    files = {
        "words": (spelled, ("4 章，1 部", "[20] ", "[21] ", "[22] ", "[101] ")),
        "roman": (tale("I. A LETTER", "II. THE LAMP", "III. HOME"), ("3 章，1 部", "[1] I. A LETTER", "[3] III. HOME")),
        "bare": (tale("THE FIRST CHAPTER", "1", "2"), ("[1] 1", "[2] 2", "1 部")),
        "ordinals": (tale("CHAPTER THE FIRST", "CHAPTER THE SECOND"), ("2 章，1 部", "[1] ", "[2] ")),
        "title-below": (tale("CHAPTER XIX\n\nThe Lamp", "CHAPTER XX\n\nHome"), ("2 章，1 部", "[19] ", "[20] ")),
        "hyphens": (tale("Chapter Thirty-Nine: Rain", "Chapter Forty: Home"), ("2 章，1 部", "[39] ", "[40] ")),
    }
    for name, (text, has) in files.items():
        yield Case("c07", name, {"b.txt": text}, (Step("ingest b.txt --preview", has),))


CASES = (*heading_ends(), *forms(), *extras(), *prose(), *misnumbered(), *english())
