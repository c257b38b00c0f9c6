"""Files whose markup is no text, and documents that replace others: rows d10 d13 d14 d18 d23 of public_faults_3."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.book_files import docx, epub, paragraph, point, run
from tests.integration.cli_story import Cli
from tests.public_faults.running import Case, Step, perform
from wenmai.agent import open_agent

MAREK = """---
aliases: [MO, the Baker]
born: 1988-02-14
tags: [person, family]
---
# Marek Oduya
Works at [[Crumb & Co]]. Married to [[Lena Strand|Lena]].
Allergic to walnuts. #health
"""
LENA = """---
aliases:
  - LS
phone: 555-0142
---
# Lena Strand
Teaches cello at the [[Northgate School]].

> [!note] Gift idea
> She wants a red kettle.
"""
MAY_2 = """# 2024-05-02
- Met [[MO]] at the market. He is moving to Tarn Street in June.
- [ ] Send Lena the sheet music
- [x] Pay the gas bill
"""
MAY_9 = """# 2024-05-09
- The Baker cancelled the move. He stays on Quay Road.
- ![[kettle.png]]
"""
VAULT = {"Marek Oduya.md": MAREK, "Lena Strand.md": LENA, "2024-05-02.md": MAY_2, "2024-05-09.md": MAY_9}
LOREBOOK = """{"name":"Ashvale","entries":{
"0":{"key":["Korrin","the Warden"],"comment":"Korrin Vale","content":"Korrin Vale is the Warden of Ashvale.",
"disable":false},
"1":{"key":["Dunmere"],"comment":"Dunmere","content":"Dunmere is a drowned city. It fell in the year 412.",
"disable":false},
"3":{"key":["old king"],"comment":"draft","content":"The old king secretly lives in the mill.","disable":true}}}"""
WHATSAPP = """12/03/2024, 21:04 - Messages and calls are end-to-end encrypted. Only people in this chat can read them.
12/03/2024, 21:05 - Ines: Did anyone book the cabin?
12/03/2024, 21:06 - Oskar: Not yet, I'll do it tomorrow
12/03/2024, 21:06 - Oskar: <Media omitted>
12/03/2024, 21:09 - Marta: It has to sleep six, my sister is coming too
13/03/2024, 08:15 - Oskar: Booked! 4 to 7 April, 420 euros in total
13/03/2024, 08:20 - Ines: great. I'll bring the canoe
13/03/2024, 08:21 - Marta: I can't drive this time, my licence is suspended until May
and I hate trains
13/03/2024, 08:22 - Marta: This message was deleted
14/03/2024, 19:40 - Oskar: Change of plan: the owner moved us to 11 to 14 April
14/03/2024, 19:41 - Ines: fine with me
"""
WECHAT = """2024-03-12 21:05:11 林知夏
谁订了小木屋？

2024-03-12 21:06:40 高远
还没，我明天订

2024-03-13 08:20:10 林知夏
好，我带皮划艇

2024-03-13 08:21:45 秦筝
这次我开不了车，驾照要到五月才能拿回来
"""
CHATS = {
    "boat.txt": """11/03/2024, 21:05 - Ines: Is the boat dry?
11/03/2024, 21:06 - Marta: As dry as a boat gets
12/03/2024, 10:00 - Oskar: I took the lamp
12/03/2024, 10:05 - Ines: thanks
""",
    "hut.txt": """12/03/2024, 08:00 - Oskar: Morning from the hut
12/03/2024, 08:01 - Ines: hello
12/03/2024, 18:00 - Oskar: The keys are with Marta
""",
}
SUBTITLES = """1
00:00:01,000 --> 00:00:04,200
<i>Previously, in Port Ellory...</i>

2
00:12:05,500 --> 00:12:08,000
- Where did you hide the ledger?
- Under the chapel floor.

3
00:12:09,000 --> 00:12:11,800
NORA: Father Quill knows. He saw
you go in.

4
00:47:30,120 --> 00:47:33,900
[door slams]
You have until midnight, Tomas.
"""
STYLED = """[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize
Style: Default,Arial,20

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:12:05.50,0:12:08.00,Default,,0,0,0,,- {\\i1}Where is the ledger?{\\i0}\\N- Under the chapel floor.
Dialogue: 0,0:12:09.00,0:12:11.80,Default,,0,0,0,,NORA: Father Quill knows. He saw\\Nyou go in.
"""
WIKI = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/"><page><title>Orla Penhale</title><ns>0</ns>
<revision><text>{{Infobox character
| name = Orla Penhale
| born = 3 May 1412
| home = [[Gull Rock|the Rock]]
}}
'''Orla Penhale''' is the [[Keeper|lamp keeper]] of {{small|Gull Rock}}.&lt;ref&gt;Book 2&lt;/ref&gt;

== History ==
* She lost her ring at [[Dunmere]].
[[Category:Women]]</text></revision></page>
<page><title>The Lampwife</title><ns>0</ns><redirect title="Orla Penhale"/><revision><text>#REDIRECT</text></revision>
</page><page><title>Talk:Orla Penhale</title><ns>1</ns><revision><text>chatter</text></revision></page></mediawiki>"""
FOUNTAIN = """Title: The Ledger

INT. CHAPEL - NIGHT

Nora kneels at the altar.

NORA (V.O.)
(whispering)
I buried the ledger under the chapel floor.

EXT. PIER - DAWN

FATHER QUILL
The boat leaves at seven, Nora.
"""
TELEGRAM = """{"name":"Trip","type":"private_group","messages":[
{"id":1,"type":"service","date":"2024-06-01T09:00:00","actor":"Ada","action":"create_group"},
{"id":2,"type":"message","date":"2024-06-01T09:05:00","from":"Ada","text":"Who has the key of the hut?"},
{"id":3,"type":"message","date":"2024-06-01T10:00:00","from":"Bo Lind",
"text":["It is with ",{"type":"bold","text":"Mrs. Vale"}]}]}"""
VTT = """WEBVTT

00:01.000 --> 00:03.000
<v Roger Bing>The parcel is in locker nine

00:05.000 --> 00:07.000
<v Ida Cole>Then bring the <b>blue</b> key
"""
POLICY = "# Travel policy\nValid from 1 January 2022.\n\nHotel rooms may cost up to 120 euros a night.\n"
NEW_POLICY = (
    "# Travel policy\nValid from 1 March 2024. This policy replaces the travel policy of 2022.\n\n"
    "Hotel rooms may cost up to 150 euros a night.\n"
)
OLD_RULES = "考勤制度\n自2021年5月1日起施行。\n上班时间为九点，迟到一次扣五十元。\n"
RULES = "考勤制度\n自2023年9月1日起施行，原考勤制度同时废止。\n上班时间为九点半，迟到一次扣三十元。\n"
POLICIES = {"travel_2022.md": POLICY, "travel_2024.md": NEW_POLICY}
ATTENDANCE = {"kaoqin_2021.txt": OLD_RULES, "kaoqin_2023.txt": RULES}
DIARY = (
    "# 船长日记\n\n## 2023年4月2日\n罗盘坏了，水手阿坤在港口买了新的，花了九十元。\n\n"
    "## 2023年4月20日\n到了白沙港。买了两桶淡水，花了四十元。\n"
)


@asynccontextmanager
async def holding(folder: Path, files: Mapping[str, str]) -> AsyncIterator[Any]:
    """Open an agent with uploaded files; what comes asks a question of them and returns the answer's record."""
    async with open_agent(data_dir=folder / "data", trace_dir=folder / "traces") as agent:
        for name, content in files.items():
            path = folder / name
            path.write_text(content, encoding="utf-8")
            await agent.upload(path, thread_id="s", user_id="u")

        async def ask(question: str) -> dict[str, Any]:
            keywords: dict[str, Any] = {"toolkits": ["documents"], "mode": "agent"}
            return dict((await agent.ask(question, thread_id="s", user_id="u", **keywords)).record)

        yield ask


DOCUMENTS = [
    (VAULT, "What is Lena Strand's phone number?", "555-0142", ("---", "aliases")),
    (VAULT, "When was Marek Oduya born?", "1988-02-14", ("---",)),
    (VAULT, "Is Marek still moving to Tarn Street?", "Quay Road", ("---", "[[")),
    (VAULT, "What would Lena like as a gift?", "red kettle", ("> ", "[!note]")),
    (VAULT, "Which tasks are still open?", "Send Lena the sheet music", ("gas bill", "[ ]")),
    ({"kettle.md": "---\ntitle: Kettle\nphone: 555-0142\n---\n# Kettle\nRed.\n"}, "What is the phone number?",
     "555-0142", ("---",)),
    ({"lorebook.json": LOREBOOK}, "Who is the Warden of Ashvale?", "Korrin Vale", ('":', "{")),
    ({"lorebook.json": LOREBOOK}, "In which year did Dunmere fall?", "412", ('":', "{")),
    ({"whatsapp.txt": WHATSAPP}, "When is the cabin booked for?", "11 to 14 April", ("end-to-end", "deleted")),
    ({"whatsapp.txt": WHATSAPP}, "Who is bringing the canoe?", "Ines", ("4 to 7",)),
    ({"wechat.txt": WECHAT}, "谁带皮划艇？", "林知夏", ("谁订了",)),
    ({"wechat.txt": WECHAT}, "林知夏的第一条消息是什么？", "2024-03-12：林知夏: 谁订了小木屋？", ("皮划艇",)),
    ({"whatsapp.txt": WHATSAPP}, "What was Oskar's last message?", "2024-03-14: Oskar: Change of plan", ("Booked",)),
    ({"whatsapp.txt": WHATSAPP}, "What was the first message of Marta?", "It has to sleep six", ("licence",)),
    (CHATS, "What was Oskar's last message?", "2024-03-12: Oskar: The keys are with Marta", ("lamp",)),
    (CHATS, "What was Oskar's first message?", "2024-03-12: Oskar: Morning from the hut", ("lamp",)),
    ({"result.json": TELEGRAM}, "What did Bo Lind write in the latest message?", "Mrs. Vale", ("hut?",)),
    ({"result.json": TELEGRAM}, "Who has the key of the hut?", "Mrs. Vale", ("{", "bold")),
    ({"ep1.srt": SUBTITLES}, "Where is the ledger hidden?", "chapel floor", ("-->",)),
    ({"ep1.srt": SUBTITLES}, "At what time does the door slam?", "00:47:30", ("-->",)),
    ({"ep1.srt": SUBTITLES}, "What does Nora say about Father Quill?", "knows", ("-->", "<i>")),
    ({"talk.vtt": VTT}, "Where is the parcel?", "locker nine", ("-->", "<v")),
    ({"ledger.fountain": FOUNTAIN}, "Where did Nora bury the ledger?", "chapel floor", ("V.O.",)),
    ({"dump.xml": WIKI}, "When was Orla Penhale born?", "3 May 1412", ("{{", "[[", "<")),
    ({"dump.xml": WIKI}, "Where did Orla lose her ring?", "Dunmere", ("{{", "[[", "ref")),
    (POLICIES, "How much may a hotel room cost a night?", "150", ()),
    (POLICIES, "How much could a hotel room cost in 2022?", "120", ()),
    (ATTENDANCE, "迟到一次扣多少钱？", "三十", ()),
    (ATTENDANCE, "2021年迟到一次扣多少钱？", "五十", ()),
    (ATTENDANCE, "几点上班？", "九点半", ()),
    ({"riji.md": DIARY}, "新罗盘花了多少钱？", "九十", ()),
]  # fmt: skip


@pytest.mark.parametrize(("files", "question", "key", "lacks"), DOCUMENTS)
async def test_a_document_answers_in_its_first_line(
    tmp_path: Path, files: Mapping[str, str], question: str, key: str, lacks: tuple[str, ...]
) -> None:
    """DOC-10 DOC-11: marks leave the answer, and the later of two versions leads."""
    async with holding(tmp_path, files) as ask:
        record = await ask(question)
    first = record["answer"].partition("\n")[0]
    assert record["status"] == "answer" and key in first, record["answer"]
    assert not [mark for mark in lacks if mark in first], record["answer"]


async def test_the_older_version_stands_beside_the_valid_one(tmp_path: Path) -> None:
    """DOC-11"""
    async with holding(tmp_path, POLICIES) as ask:
        answer = (await ask("How much may a hotel room cost a night?"))["answer"]
    assert "Earlier (2022-01-01): Hotel rooms may cost up to 120 euros" in answer


async def test_two_texts_of_one_length_are_no_versions(tmp_path: Path) -> None:
    """DOC-11: that both stand in lines 1 to 3 is no title that they share."""
    files = {
        "lease.txt": "Rental contract\nValid from 1 January 2022.\nThe deposit is 300 euros.\n",
        "club.txt": "Rules of the rowing club\nValid from 1 March 2024.\nThe deposit is 50 euros.\n",
    }
    async with holding(tmp_path, files) as ask:
        answer = (await ask("How much is the deposit?"))["answer"]
    assert "euros" in answer and "Earlier" not in answer and "Newer" not in answer


CLUB = "The club had {} members at the end of the year. In {} the roof was mended.\n"
CLUB_OF_YEARS = {"2023.txt": CLUB.format(140, 2022), "2024.txt": CLUB.format(155, 2023)}
MENDED = "The club had 140 members at the end of the year. In 2022 the club asked its members to mend the roof.\n"
STAFF = "公司年末员工总数为{}人。{}年设立了工会。\n"
STAFF_OF_YEARS = {"年报2022.txt": STAFF.format("三百", 2021), "年报2023.txt": STAFF.format("四百", 2022)}
NUMBERED = {"第3章.txt": "渡口挂着一盏红灯。\n", "第4章.txt": "渡口挂着一盏白灯。\n"}
RENTS = {
    "invoice_17.txt": "The letter of 4 July asks for the rent of the mill, 70 pounds.\n",
    "invoice_18.txt": "The letter of 9 August asks for the rent of the barn, 25 pounds.\n",
}


@pytest.mark.parametrize(
    ("files", "question", "key"),
    [
        (CLUB_OF_YEARS, "How many members does the club have?", "1(40|55) members"),
        (RENTS, "How much is the rent of the mill?", "70"),
        (
            {"1.txt": RENTS["invoice_17.txt"], "2.txt": RENTS["invoice_18.txt"]},
            "How much is the rent?",
            "(70|25) pounds",
        ),
        (NUMBERED, "渡口的灯是什么颜色？", "[红白]灯"),
    ],
)
async def test_numbers_alone_make_no_versions(
    tmp_path: Path, files: Mapping[str, str], question: str, key: str
) -> None:
    """DOC-11"""
    async with holding(tmp_path, files) as ask:
        answer = (await ask(question))["answer"]
    assert re.search(key, answer.partition("\n")[0]) and not re.search("Earlier|原先", answer), answer


@pytest.mark.parametrize(
    ("files", "question", "key"),
    [
        (CLUB_OF_YEARS, "How many members did the club have in 2023?", "140"),
        (STAFF_OF_YEARS, "2022年公司有多少员工？", "三百"),
        (STAFF_OF_YEARS, "公司有多少员工？", "四百"),
    ],
)
async def test_a_document_of_the_year_that_is_asked_answers(
    tmp_path: Path, files: Mapping[str, str], question: str, key: str
) -> None:
    """DOC-11"""
    async with holding(tmp_path, files) as ask:
        answer = (await ask(question))["answer"]
    assert key in answer.partition("\n")[0], answer


@pytest.mark.parametrize(
    ("files", "question"),
    [
        (CLUB_OF_YEARS, "How many members did the club have in 2022?"),
        (STAFF_OF_YEARS, "2021年公司有多少员工？"),
        ({"2023.txt": MENDED}, "How many members did the club have in 2022?"),
    ],
)
async def test_a_document_of_another_year_is_not_sure(tmp_path: Path, files: Mapping[str, str], question: str) -> None:
    """DOC-11"""
    async with holding(tmp_path, files) as ask:
        record = await ask(question)
    assert record["status"] == "not_found" or (not record["passed"] and record["confidence"] < 0.5), record["answer"]


async def test_a_span_of_years_is_answered_from_a_year_within(tmp_path: Path) -> None:
    """DOC-11"""
    text = {"2021.txt": "The mill stood empty in 2020. The roof of the mill was mended in May.\n"}
    async with holding(tmp_path, text) as ask:
        record = await ask("When was the roof of the mill mended after 2020?")
    assert "in May" in record["answer"].partition("\n")[0] and record["confidence"] > 0.4


async def test_a_comparison_shows_both_sides(tmp_path: Path) -> None:
    """DOC-11"""
    async with holding(tmp_path, POLICIES) as ask:
        answer = (await ask("What is the difference between the policies of 2022 and 2024 for hotel rooms?"))["answer"]
    assert "120" in answer and "150" in answer


NOTES = {f"note_{at}.md": f"# Note {at}\nThe {thing} was repaired in spring.\n" for at, thing in enumerate(
    ("harbour crane", "old ferry", "harbour crane", "lamp", "harbour crane"), 1)}  # fmt: skip


async def test_which_documents_mention_a_thing_is_answered_with_all_of_them(tmp_path: Path) -> None:
    """DOC-11"""
    async with holding(tmp_path, NOTES) as ask:
        answer = (await ask("Which documents mention the harbour crane?"))["answer"]
    assert "3" in answer and [name for name in NOTES if name in answer] == ["note_1.md", "note_3.md", "note_5.md"]


async def test_a_disabled_entry_of_a_lorebook_is_left_out(tmp_path: Path) -> None:
    """DOC-10"""
    async with holding(tmp_path, {"lorebook.json": LOREBOOK}) as ask:
        record = await ask("Where does the old king live?")
    assert "mill" not in record["answer"]


LONG = "He went down to the river in the evening and stayed there until the boats came home again."
CHAPTERS = "".join(f"<h2 id='c{n}'>CHAPTER {n}. Day {n}</h2><p>{LONG}</p><p>{LONG}</p>" for n in (1, 2, 3))
HEADER = "<p>The Project Gutenberg eBook of The Ferry</p><p>Title: The Ferry</p>"
GUTENBERG = epub(
    {
        "head.xhtml": f"{HEADER}<p>*** START OF THE PROJECT GUTENBERG EBOOK THE FERRY ***</p>",
        "book.xhtml": f"<h1 id='t'>THE FERRY</h1><p>By Ada Finch</p>{CHAPTERS}",
        "end.xhtml": f"<p>*** END OF THE PROJECT GUTENBERG EBOOK THE FERRY ***</p><p>{LONG}</p>",
    },
    ncx="".join(
        (
            point("The Project Gutenberg eBook of The Ferry", "head.xhtml"),
            point("THE FERRY", "book.xhtml#t"),
            *(point(f"CHAPTER {n}. Day {n}", f"book.xhtml#c{n}") for n in (1, 2, 3)),
            point("THE FULL PROJECT GUTENBERG LICENSE", "end.xhtml"),
        )
    ),
)
TITLES = ("Chapter 1: The Ferry", "Chapter 2: The Wedding")
CONTENTS_OF_WORD = docx(
    *(paragraph(run(f"{title} {page}"), style="t1") for title, page in zip(TITLES, (3, 9), strict=True)),
    *(block for title in TITLES for block in (paragraph(run(title), style="h1"), paragraph(run(LONG)))),
    styles={"t1": "toc 1", "h1": "heading 1"},
)
TYPED_CONTENTS = docx(
    *(paragraph(run(f"{title} {page}")) for title, page in zip(TITLES, (3, 9), strict=True)),
    *(block for title in TITLES for block in (paragraph(run(title)), paragraph(run(LONG)))),
)
SCAN = """THE LAMPLIGHTER OF QUAY                               17

Chapter I
Old Ansel Tarr lit the lamps of Quay Street for thir-
ty-one years. On the first night Jory broke the lamp by the cus-

18                               THE LAMPLIGHTER OF QUAY

toms house. Ansel threw his knife into the har-
bour.

THE LAMPLIGHTER OF QUAY                               19

Chapter II
Jory left for Tallow Island. He took the brass key with him.
"""
CHINESE_SCAN = """第 一 章   灯
老 周 点 了 三 十 一 年 的 路 灯 。 他 一 辈 子 没 有 娶 妻 。
侄 儿 小 乔 春 天 来 投 奔 他 ， 头 一 夜 就 打 碎 了 海 关 门 口 的 高 灯 。
                 — 17 —
第 二 章   岛
小 乔 去 了 脂 岛 ， 带 走 了 铜 钥 匙 。
"""
RAIN = "周屿在雨里捡到一只木匣，他没有再说话，江上的雾一直不散。"
FILES = {f"{at:02}.txt": f"之{day}\n\n{RAIN}这一天是初{day}。" for at, day in ((1, "一"), (2, "二"), (10, "十"))}
FRAMED = f"楔子\n{RAIN}\n第一章 雨\n{RAIN}\n第二章 雾\n{RAIN}\n尾声\n{RAIN}"
DAYS = {
    "2024-03-01.md": "# 2024-03-01\n- The choir meeting is on 5 May in the chapel.\n- [x] Call [[Ruth Adler]]\n",
    "2024-04-02.md": "# 2024-04-02\nThe choir meeting was moved to 12 May, in the old mill.\n",
    "Ruth Adler.md": "---\naliases: [RA]\nphone: 555-0188\n---\n# Ruth Adler\nSings alto.\n",
}
CHINESE_DAYS = {
    "2024年3月1日.md": "# 2024年3月1日\n钥匙放在门卫室。见[[老周]]。\n- [ ] 给老周送药\n- [x] 交水费\n",
    "2024年4月9日.md": "# 2024年4月9日\n[[老周]]来过。钥匙改放在前台了。\n",
    "老周.md": "---\ntags: [邻居]\n---\n# 老周\n住在[[槐树街]]。\n",
}
LANTERNS = (
    "第一章 雨\n周屿在雨里捡到一只木匣。木匣是空的，江上的雾一直不散。\n"
    "第二章 雾\n木匣不见了，老秦说那只匣子被人拿走了。\n"
)
ENGLISH_LANTERNS = (
    "Chapter 1: The Quay\nMara found a lantern under the bridge. The lantern was cold and the tide was out.\n"
    "Chapter 2: The Tower\nShe hung the lantern in the tower and went to sleep beside the window.\n"
)
FERRY = (
    "Chapter 1: The Ferry\nMy name is Tobias Wren and I have kept the ferry at Sallow Bend for eleven years. "
    "One evening Ada Finch came down to the water and asked for her brother.\n"
    "Chapter 2: Home\nAda Finch came back. I gave her the comb, and she said that she would teach me to read.\n"
)
STORIES = [
    Case("d13", "vault", VAULT, (
        Step("ingest . --library x", ("4 章",), ("别名", "aliases")),
        Step("entities list --library x", ("Marek Oduya", "MO、the Baker", "Lena Strand", "LS"), ("phone", "born")),
        Step("ask \"What is Lena's phone number?\" --library x", ("555-0142",)),
        Step("ask 'Is Marek moving to Tarn Street?' --library x", ("He stays on Quay Road.[1]", "Earlier (")),
        Step("ask 'What is still to do?' --library x", ("- Send Lena the sheet music",), ("gas bill", "[ ]")))),
    Case("d13", "notes-of-days", DAYS, (
        Step("ingest . --library x", ("3 章",)),
        Step("ask 'When is the choir meeting?' --library x", ("moved to 12 May", "Earlier (2024-03-01)", "5 May")))),
    Case("d13", "chinese-notes-of-days", CHINESE_DAYS, (
        Step("ingest . --library x", ("3 章",)),
        Step("ask 还要做什么？ --library x", ("- 给老周送药",), ("交水费",)),
        Step("ask 钥匙放在哪里？ --library x", ("钥匙改放在前台了。[1]", "原先（2024-03-01）")))),
    Case("d01", "words", {"b.txt": LANTERNS}, (
        Step("ingest b.txt --library x", ("2 章",)),
        Step("ask 木匣在书中出现了几次？ --library x", ("“木匣”在全书的 2 章、2 段中出现，共 3 次。",)),
        Step("ask 书里一共提到“匣子”这个词几次？ --library x", ("共 1 次",)))),
    Case("d01", "english-words", {"b.txt": ENGLISH_LANTERNS}, (
        Step("ingest b.txt --library x", ("2 章",)),
        Step("ask 'How many times is the lantern mentioned?' --library x", ("“lantern” in the book: 3",)))),
    Case("d04", "named-itself", {"b.txt": FERRY}, (
        Step("ingest b.txt --library x", ("2 章",)),
        Step("ask 'Who gave Ada Finch the comb?' --library x", (), ("Ada Finch came back.[1]",)))),
    Case("d14", "lorebook", {"l.json": LOREBOOK}, (
        Step("ingest l.json --library x", ("2 章",)),
        Step("entities list --library x", ("Korrin Vale", "the Warden"), ("king",)))),
    Case("d10", "whatsapp", {"w.txt": WHATSAPP}, (
        Step("ingest w.txt --library x", ("3 章",), ("12/03/2024, 21",)),
        Step("entities list --library x", ("Ines", "Oskar", "Marta"), ("2024",)),
        Step("ask 'Who is bringing the canoe?' --library x", ("I'll bring the canoe (08:20)[1]",)),
        Step('ask "What was Oskar\'s last message?" --library x', ("2024-03-14: Oskar: Change of plan",)),
        Step('ask "What was Ines\'s first message?" --library x --as-of-chapter 1', ("2024-03-12: Ines: Did",)))),
    Case("d10", "wechat", {"w.txt": WECHAT}, (
        Step("ingest w.txt --library x", ("2 章",)),
        Step("ask 林知夏的最后一条消息是什么？ --library x", ("2024-03-13：林知夏: 好，我带皮划艇",)),
        Step("ask 林知夏第一条消息说了什么？ --library x", ("2024-03-12：林知夏: 谁订了小木屋？",)))),
    Case("d18", "subtitles", {"e.srt": SUBTITLES}, (
        Step("ingest e.srt --library x", ("Nora",)),
        Step("ask 'Where is the ledger hidden?' --library x", ("Under the chapel floor. (00:12:05)[1]",)))),
    Case("d18", "styled-subtitles", {"e.ass": STYLED}, (
        Step("ingest e.ass --library x", ("Nora",)),
        Step("ask 'Where is the ledger hidden?' --library x", ("Under the chapel floor. (00:12:05)[1]",), ("{",)))),
    Case("d18", "screenplay", {"f.fountain": FOUNTAIN}, (
        Step("ingest f.fountain --library x", ("2 章", "Nora")),
        Step("ask 'Where did Nora bury the ledger?' --library x", ("chapel floor",)))),
    Case("d13", "wiki", {"d.xml": WIKI}, (
        Step("ingest d.xml --library x", ("1 章",)),
        Step("entities list --library x", ("Orla Penhale", "The Lampwife")))),
    Case("d23", "english", {"o.txt": SCAN}, (
        Step("ingest o.txt --library x", ("2 章",)),
        Step("ask 'What did Ansel throw into the harbour?' --library x", ("into the harbour.",), ("QUAY",)))),
    Case("d23", "chinese", {"o.txt": CHINESE_SCAN}, (
        Step("ingest o.txt --library x", ("2 章",)),
        Step("ask 小乔打碎了什么？ --library x", ("打碎了海关门口的高灯",), ("— 17 —", "没有提到")))),
    Case("books", "gutenberg", {"f.epub": GUTENBERG}, (
        Step("ingest f.epub --library x", ("3 章",), ("部",)),)),
    Case("books", "word-contents", {"f.docx": CONTENTS_OF_WORD}, (Step("ingest f.docx --library x", ("2 章",)),)),
    Case("books", "typed-contents", {"f.docx": TYPED_CONTENTS}, (Step("ingest f.docx --library x", ("2 章",)),)),
    Case("books", "numbered-files", {f"book/{name}": text for name, text in FILES.items()}, (
        Step("ingest book --library x", ("3 章",)),
        Step("ingest book --preview --as-of-chapter 1", ("1 章",), ("《",)),
        Step("ask 第十章里那天是初几？ --library x --as-of-chapter 2", (), ("初十",)))),
    Case("books", "epilogue", {"f.txt": FRAMED}, (
        Step("ingest f.txt --library x --preview", ("尾声",), ("第 2 部",)),)),
]  # fmt: skip


@pytest.mark.parametrize("case", STORIES, ids=str)
def test_a_story(case: Case, tmp_path: Path) -> None:
    """STO-22 STO-23"""
    perform(case, Cli(tmp_path))


async def test_a_time_at_the_end_of_a_line_makes_no_chat(tmp_path: Path) -> None:
    """DOC-10: of a page with one such line the other lines are read too."""
    async with holding(tmp_path, {"plan.txt": "The budget is 5,000 euros.\nLunch is in the hall (12:30)\n"}) as ask:
        assert "5,000" in (await ask("How much is the budget?"))["answer"]


DEFINITIONS = "<dl><dt>klog</dt><dd>Used by klogd, the kernel logger.</dd><dt>syslog</dt><dd>Used by syslogd.</dd></dl>"
WRAPPED = (
    "The first part of the discourse about light was written at the desire of\nsome gentlemen of the Royal Society, in "
    "the year 1675, and then sent to\ntheir secretary, and read at their meetings. The rest was added about\ntwelve "
    "years after, to complete the theory; except the third book, which\nwas since put together out of scattered papers."
)
BORN = WIKI.replace("| born = 3 May 1412", "| born = {{birth date|df=yes|1412|5|3}}\n| height = {{convert|1.8|m|ft}}")
PARSED = [
    ({"users.html": DEFINITIONS}, "What is klog?", ("klog: Used by klogd",)),
    ({"light.txt": WRAPPED}, "At whose desire was the discourse about light written?", ("gentlemen of the Royal",)),
    (
        {"light.md": f"# Light\n\n{WRAPPED}\n"},
        "At whose desire was the discourse written?",
        ("gentlemen of the Royal",),
    ),
    ({"dump.xml": BORN}, "When was Orla Penhale born?", ("1412-05-03",)),
    ({"dump.xml": BORN}, "What is the height of Orla Penhale?", ("1.8 m",)),
    ({"oak.txt": WHATSAPP}, "When did Ines say that she brings the canoe?", ("2024-03-13", "canoe")),
]


@pytest.mark.parametrize(("files", "question", "keys"), PARSED)
async def test_what_a_layout_or_a_mark_parts_is_whole(
    tmp_path: Path, files: Mapping[str, str], question: str, keys: tuple[str, ...]
) -> None:
    """DOC-37: a definition has its term, a broken line its rest, a template its value, a message asked for its day."""
    async with holding(tmp_path, files) as ask:
        first = (await ask(question))["answer"].partition("\n")[0]
    assert all(key in first for key in keys), first


async def test_a_question_for_a_file_in_a_text_lists_no_documents(tmp_path: Path) -> None:
    """DOC-37"""
    async with holding(tmp_path, {"groups.txt": "The group shadow can read /etc/shadow. Others cannot.\n"}) as ask:
        assert "/etc/shadow" in (await ask("Which file can the group shadow read?"))["answer"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bomb.md", "---\na: &a [x]\nb: &b [*a, *a]\n---\nThe well is dry.\n"),
        ("year.md", "---\naliases: 1984\n---\nThe well is dry.\n"),
        ("talk.json", '{"messages": 3, "note": "The well is dry."}'),
        ("blanks.txt", "The well is dry.\nA" + " " * 100_000 + "x\n"),
        ("page.xml", "<page><!-- left out --><p>The well is dry.</p></page>"),
        ("list.json", '{"entries": [{"content": "The well is dry.", "date": "2024-05-01"}]}'),
    ],
)
async def test_odd_files_are_read(tmp_path: Path, name: str, text: str) -> None:
    """DOC-10"""
    async with holding(tmp_path, {name: text}) as ask:
        assert "The well is dry." in str((await ask("Is the well dry?"))["evidence"])
