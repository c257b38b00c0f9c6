"""Texts in other scripts: rows d09 d16 d20 of public_faults_3, and inputs of the same kinds."""

from pathlib import Path
from typing import Any

import pytest

from wenmai.opening import open as open_wenmai

AOZORA = """霧笛の町
山科透子

-------------------------------------------------------
【テキスト中に現れる記号について】

《》：ルビ
（例）霧笛《むてき》
-------------------------------------------------------

［＃３字下げ］一［＃「一」は中見出し］

　霧笛《むてき》の鳴る晩、燈台守《とうだいもり》の相良《さがら》は一人の少年を拾った。少年の名は汐見航《しおみわたる》といった。
　「北の｜硝子島《がらすじま》です」と航は答えた。

［＃３字下げ］二［＃「二」は中見出し］

　三年後、相良は病気で死んだ。航は鍵《かぎ》を町長の榎本《えのもと》に渡し、船に乗った。
　船の名は白鷺丸《しらさぎまる》で、船長は榎本の妹の千代《ちよ》だった。※［＃「口＋世」、U+546D、1-2］

底本：「霧笛の町」架空書房
入力：某
"""
RUBY = (
    "第一章 港\n相良《さがら》は鍵《かぎ》を渡した。船は白鷺丸《しらさぎまる》である。\n第二章 島\n航は島で暮した。\n"
)
HEBREW = """פרק א
נועם ברק גר בכפר סלע ועובד כנגר. אחותו תמר ברק היא רופאה בעיר.
פרק ב
תמר מכרה את הסירה לדייג בשם אלון במחיר של 300 שקלים.
"""
ARABIC = """الفصل الأول
وصل سالم إلى الميناء في الصباح واشترى قاربا أزرق من صياد عجوز.
الفصل الثاني
باع سالم القارب لأخته ليلى بعد عامين.
"""
KOREAN = """제1장 항구
김민수는 항구에서 배를 기다렸다. 편지는 이영희에게서 온 것이었다.
제2장 섬
영희는 섬의 학교에서 아이들을 가르친다.
"""
FERRYMAN = """第一章　渡し場
川の渡し場に庄吉という男が住んでいた。庄吉には娘が一人あり、名をお雪といった。お雪は体が弱く、めったに外へ出なかった。
ある朝、町の医者の田島先生が舟に乗った。「娘さんの具合はどうだね」と田島先生が訊いた。
第二章　手紙
手紙を書いたのは母だった。皆さん、どうぞお達者で、と最後に書いてあった。
"""
SCHOOL = """第一章　転校生
担任の木村先生が新しい生徒を連れて入って来た。「北海道から来た三浦翔太君です」
隣の席の佐藤美咲さんが手を振った。昼休みに、美咲は翔太に図書室の場所を教えた。図書室にはマリアという司書がいた。
第二章　犬
看護婦さんの犬がいなくなった。お父さんは翔太をひどく叱った。神様、犬を返してくださいと翔太は祈った。
"""
CLASSICAL = """卷一　葉生
葉生者，字子淵，淮上人也。少孤，鬻柴以養母。遂以女妻之，名曰阿蘅。阿蘅善鼓瑟，能知禽語。
卷二　石丈
石丈，不知何許人，居洞庭之濱，年九十而視不衰。葉生嘗師事之。
"""
ASSASSINS = """卷一　荊軻
荊軻者，衛人也。其先乃齊人，徙於衛，衛人謂之慶卿。荊卿好讀書擊劍，以術說衛元君，衛元君不用。荊軻既至燕，愛燕之狗屠及善擊筑者高漸離。
卷二　留侯
留侯張良者，其先韓人也。秦皇帝東游，良與客狙擊秦皇帝博浪沙中，誤中副車。良乃更名姓，亡匿下邳。
"""
SCHOLAR = """卷一　王冕
王冕者，諸暨人。七八歲時，父命牧牛隴上，竊入學舍，聽諸生誦書。暮歸，忘其牛。父怒，撻之。冕因去，依僧寺以居。
卷二　柳敬亭
柳敬亭者，揚之泰州人，本姓曹。年十五，獷悍無賴，犯法當死，變姓柳，之盱眙市中為人說書。善說書，聞者傾動。
"""
BOOKS = [
    ("aozora.txt", AOZORA.encode("shift_jis", "ignore"), 2, "霧笛の町", ["山科透子"],
     "船の名は何ですか？", "白鷺丸で", ("《", "［＃", "另见")),
    ("minato.txt", RUBY.encode(), 2, "minato", [], "船は何ですか？", "白鷺丸", ("《", "抱歉")),
    ("sira.txt", HEBREW.encode(), 2, "sira", [], "מי קנה את הסירה?", "אלון", ("另见", "抱歉")),
    ("qarib.txt", ARABIC.encode(), 2, "qarib", [], "لمن باع سالم القارب؟", "ليلى", ("另见", "抱歉")),
    ("hanggu.txt", KOREAN.encode(), 2, "hanggu", [], "편지는 누구에게서 왔습니까?", "이영희", ("另见", "抱歉")),
    ("wenyan.txt", CLASSICAL.encode(), 2, "wenyan", [], "叶生是哪里人？", "淮上", ("See also",)),
    ("wenyan2.txt", CLASSICAL.encode(), 2, "wenyan2", [], "阿蘅会什么？", "善鼓瑟", ("抱歉",)),
    ("cike.txt", ASSASSINS.encode(), 2, "cike", [], "荆轲喜欢什么？", "好讀書擊劍", ("抱歉",)),
    ("cike2.txt", ASSASSINS.encode(), 2, "cike2", [], "张良逃到了哪里？", "下邳", ("抱歉",)),
    ("shusheng.txt", SCHOLAR.encode(), 2, "shusheng", [], "柳敬亭擅长什么？", "說書", ("抱歉",)),
]  # fmt: skip


@pytest.mark.parametrize("book", BOOKS, ids=[one[0] for one in BOOKS])
async def test_a_book_in_another_script(tmp_path: Path, book: tuple[Any, ...]) -> None:
    """DOC-34 DOC-35: chapters, title and author, marks that are no text, an answer in a language that is spoken."""
    name, content, chapters, title, authors, question, key, lacks = book
    async with open_wenmai(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as app:
        await app.libraries.ingest(name, "x", content=content)
        library = await app.libraries.get("x")
        answer = (await app.conversations.ask(question, library="x")).record["answer"]
    assert (library.chapters, library.title, library.authors) == (chapters, title, authors)
    assert key in answer.partition("\n")[0] and not [mark for mark in lacks if mark in answer], answer


@pytest.mark.parametrize(
    ("text", "people", "others"),
    [
        (CLASSICAL, {"葉生", "石丈", "阿蘅"}, set[str]()),
        (AOZORA, {"榎本", "汐見航"}, {"白鷺丸"}),
        (FERRYMAN, {"庄吉", "お雪", "田島"}, {"娘", "皆"}),
        (SCHOOL, {"佐藤美咲", "翔太", "木村", "マリア"}, {"神", "お父", "看護婦", "看護"}),
    ],
)
async def test_people_of_other_scripts(tmp_path: Path, text: str, people: set[str], others: set[str]) -> None:
    """DOC-36"""
    async with open_wenmai(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as app:
        await app.libraries.ingest("w.txt", "x", content=text.encode())
        found = {one.name for one in (await app.entities.list("x")).items}
    assert people <= found and not others & found


async def test_notation_of_a_document_is_no_text(tmp_path: Path) -> None:
    """DOC-34"""
    async with open_wenmai(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as app:
        await app.documents.upload("a.txt", content=AOZORA.encode(), thread_id="s")
        more: dict[str, Any] = {"toolkits": ["documents"], "mode": "agent", "thread_id": "s"}
        answer = (await app.conversations.ask("船の名は何ですか？", **more)).record["answer"]
    assert "船の名は白鷺丸で" in answer and "《" not in answer.partition("\n")[0]
