# ruff: noqa: E501 - one line is one rule
"""Words of questions, and how stories say the same: modern Chinese beside the language of classical novels.

The tables (`words.toml`) serve every story: a modern novel uses the left side, a classical one the right.
"""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

_TABLES = tomllib.loads(files("wenmai.minds.offline").joinpath("words.toml").read_text(encoding="utf-8"))


def _set(name: str) -> frozenset[str]:
    return frozenset(_TABLES[name].split())


def _told_by(name: str) -> Mapping[str, tuple[str, ...]]:
    rows = (row.split(" | ", 1) for row in _TABLES[name].strip().splitlines())
    return MappingProxyType({word: tuple(told.split()) for asked, told in rows for word in asked.split()})


QUESTION_WORDS = _set("question_words")
STOP_WORDS = _set("stop_words")
ENGLISH_STOP = _set("english_stop")
OUTLINE_WORDS = _set("outline_words")

# Modern word -> what classical prose says instead. Symmetric use: any of a row may stand for another.
SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {row[0]: tuple(row[1:]) for row in map(str.split, _TABLES["synonyms"].strip().splitlines())}
)

# What an answer of this kind has in its sentence.
ASPECT_CUES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "quote": re.compile(r"[曰道说云叹呼骂喝][：:，,]?[“「\"]|[：:][“「\"]"),
        "number": re.compile(r"[0-9一二三四五六七八九十百千万两余数]+[^，。、]{0,3}"),
        "age": re.compile(
            r"[一二三四五六七八九十百0-9]+[^，。]{0,2}[岁载]|年[^，。]{0,6}[一二三四五六七八九十0-9]|years? old|aged"
        ),
        "style": re.compile(r"字[\u4e00-\u9fff]{1,2}[，,；;。、]|表字|小字|号[\u4e00-\u9fff]{2}"),
        "weapon": re.compile(r"[刀枪戟矛剑斧鞭锤棒杖钯弓鎚鞭铲叉]|兵器"),
        "horse": re.compile(r"[马驹骑]|赤兔|的卢"),
        "looks": re.compile(r"身长|面如|眼|髯|须|眉|生得|貌|脸|hair|eyes|tall|face"),
        "place": re.compile(r"[州郡县城关山江河溪谷岭亭寺庙宫殿园府庄村寨营渡口桥洞国岛港街楼阁]"),
        "native": re.compile(r"人也|人氏|[郡县州]人|籍|乡"),
        "office": re.compile(r"[拜封授领迁加除为][^，。]{0,12}[侯将军守牧尉相史令丞公王卿郎督校]"),
        "reason": re.compile(r"因|故|以|恐|欲|为|because|since|so that|[曰道][：:]?[“「]"),
        "time": re.compile(r"[年月日夜更时]|春|夏|秋|冬"),
    }
)
ASPECTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "quote",
        re.compile(
            r"说了|说过|说什么|怎么说|说的|原话|喊|骂了|叹|评价|回答|问了|哪句|什么话|一句|怎么讲|said|say|words|quote"
        ),
    ),
    ("age", re.compile(r"多大|几岁|年纪|年龄|岁数|享年|多少岁|how old")),
    ("style", re.compile(r"[表的]字|字什么|字叫|字是|小名|号什么|别号|道号")),
    ("weapon", re.compile(r"兵器|武器|使什么|用什么(?:刀|枪|兵)|weapon|sword")),
    ("horse", re.compile(r"坐骑|什么马|哪匹马|的马|骑的")),
    ("looks", re.compile(r"长相|外貌|相貌|模样|长什么样|长得|look like")),
    ("native", re.compile(r"哪里人|什么地方人|老家|家乡|籍贯|何方人|哪儿人|come from")),
    ("office", re.compile(r"官职|什么官|职位|封为|封了|什么职|当了什么|头衔")),
    (
        "number",
        re.compile(r"多少|几(?:个|次|人|年|天|回|合|万|斤|里|名|位|条|种|封|座)|多重|多高|多长|多久|how many|how much"),
    ),
    ("place", re.compile(r"哪里|哪儿|何处|什么地方|哪座|哪个(?:城|地|寺|山|关|县|州|郡|岛|港)|在哪|where")),
    ("reason", re.compile(r"为什么|为何|为啥|原因|缘故|why")),
    ("time", re.compile(r"什么时候|何时|哪一?年|哪天|哪一?回|when")),
    ("person", re.compile(r"谁|何人|哪位|哪个人|什么人|哪一位|who")),
)

SCENE = re.compile(r"描述|场景|情景|那一幕|经过|怎么回事|讲讲|describe|scene")
QUOTATION = dict(ASPECTS)["quote"]
RELATION = re.compile(
    r"什么关系|啥关系|何关系|的关系|怎么认识|如何认识|什么人，|是.{1,8}的什么人|什么亲戚|关系如何|关系怎么|relation|how do .* know"
)
NETWORK = re.compile(
    r"有哪些人|有谁|哪几(?:个|位|人)|成员|都有谁|朋友|部下有|手下有|哪些(?:人|将|谋士|儿子|兄弟|徒弟|弟子)|都叫什么|分别是|members|friends"
)
JOURNEY = re.compile(
    r"经历|一生|生平|发展|演变|变化|历程|先后|如何从|怎么从|怎样从|一路|前后|辗转|轨迹|成长|history|journey|evolve|develop|over time"
)
EVOLUTION = re.compile(r"关系.{0,6}(?:演变|变化|发展)|如何演变|怎么演变|怎样变化|evolve|change")
HOW = re.compile(r"如何|怎么|怎样|凭什么|靠什么|用什么(?:办法|法子|计|方法|手段)|how did|how does|how was|how were")
WHO = re.compile(
    r"^(?:请问)?[^，。？]{1,12}(?:是谁|是什么人|是何人|何许人)[？?]?$|^who (?:is|was) [^?]{1,40}\??$", re.IGNORECASE
)
CHAPTER_NUMBER = re.compile(
    r"第([0-9零〇一二三四五六七八九十百两廿卅]+)(?:[回章节](?!合)|\s*到\s*第?([0-9零〇一二三四五六七八九十百两廿卅]+)[回章节])|chapters? (\d+)(?:\s*(?:-|to)\s*(\d+))?",
    re.IGNORECASE,
)

# How a text tells whom {name} learnt from.
TEACHER = (
    r"{name}[^。！？，]{{0,4}}(?:(?<![军京班水出王誓兴旋太])师(?![众兵旅])|徒(?!步)|弟子)|(?:徒弟|弟子|教|学生|(?<![军京班水出王誓兴旋太])师|[传授])[^。！？，]{{0,6}}{name}|"
    r"{name}[^。！？]{{0,10}}(?:拜|从[^。，]{{1,6}}学|跟[^。，]{{1,6}}学|师事|受业)"
)

# How a text tells whence {name} comes.
NATIVE = (
    r"{name}[^“”]{{0,30}}(?:(?<!中)人也|人氏|[郡县州乡镇村]人|[故本家]乡|乡里|家住)|"
    r"(?:人也|人氏|[郡县州乡镇村]人)[^“”]{{0,20}}{name}|"
    r"(?:乃|本是)[^部帐麾手大副][^下将召唤命令遣使引领率与请见斩杀教拜封将把向]{name}"
)

# How a text tells that {name} was married.
MATCHED = (
    r"{name}[^。！？“”]{{0,12}}(?:(?:娶|聘|嫁[与给]?)[^。！？]|纳(?:为|[^，。！？]{{0,6}}[女氏妻妾妃])|尚[^，。！？]{{0,4}}公主|"
    r"之[妻婿夫]|的[妻丈]|[妻夫](?=[，。\u4e00-\u9fff]氏)|为[妻妇婿])|"
    r"(?:[以将把][^。！？“”]{{0,12}}[女妹姐姊侄][^。！？“”]{{0,4}})(?:嫁|妻|配|许)[^。！？]{{0,6}}{name}|"
    r"(?:嫁[与给]?|配与|许配|妻[与之]?|娶|招赘|婿|(?<![大匹老马武渔农懦])夫)[^。！？，“”]{{0,4}}{name}|"
    r"{name}[^。！？“”]{{0,10}}(?:婿|驸马|岳[父丈母]|丈人)"
)

# How a text tells an attribute of {name}: within a clause or two, never far away.
ATTRIBUTE_PROOFS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"表字|的字(?:是|叫|为)|字什么|字叫"), r"{name}[^。！？]{{0,6}}字[\u4e00-\u9fff]|字{name}"),
    (re.compile(r"小名|乳名|小字"), r"{name}[\s\S]{{0,200}}(?:小字|小名|乳名)|(?:小字|小名|乳名)[\s\S]{{0,200}}{name}"),
    (
        re.compile(r"妻|老婆|夫人(?!的)|太太|丈夫|嫁给|娶了?谁"),
        r"{name}[^。！？]{{0,8}}(?:妻|娘子|娶|嫁|纳为)|{name}(?:之|的)?夫人|(?:嫁|娶|许配)[^。！？，]{{0,4}}{name}|"
        + MATCHED,
    ),
    (re.compile(r"母亲|妈妈|娘(?:是|叫|姓)"), r"{name}[^。！？，]{{0,3}}(?<![主国伯叔祖岳])(?:老?母|娘)"),
    (
        re.compile(r"老师|师父|师傅|跟谁学|师从"),
        TEACHER,
    ),
    (
        re.compile(r"成了?亲|结了?婚|成婚|完婚"),
        r"{name}[^。！？]{{0,12}}(?:成亲|完婚|成婚|结亲|娶|嫁|配|洞房|媳妇)|(?:成亲|娶|嫁|配)[^。！？，]{{0,6}}{name}",
    ),
    (re.compile(r"父母|双亲|爹娘"), r"{name}[^。！？，]{{0,6}}(?:父|母|爹|娘)"),
    (re.compile(r"父亲|爸爸|爹"), r"{name}[^。！？，]{{0,8}}(?:父|子|爹|之后|孙)|(?:父|子|爹)[^。！？，]{{0,5}}{name}"),
    (re.compile(r"女儿"), r"{name}[^。！？，]{{0,8}}女|女[^。！？，]{{0,4}}{name}"),
    (
        re.compile(r"儿子"),
        r"{name}[^。！？，]{{0,4}}(?:儿子|[之长次幼少其生一二两三四五六七八九十]子|孩儿|子[名曰叫])|(?:[之长次幼少]子|儿子|父亲?|爹)[^。！？，]{{0,4}}{name}",
    ),
    (re.compile(r"几个孩子|孩子(?:是|叫)"), r"{name}[^。！？，]{{0,8}}(?:子|儿|女|孩)"),
    (
        re.compile(r"多大年?纪?|几岁|(?:年纪|年龄|岁数)(?:是|有)?(?:多|几)|享年|多少岁"),
        r"{name}[\s\S]{{0,60}}(?:[一二三四五六七八九十百0-9]+[^，。]{{0,2}}[岁载]|年[^，。]{{0,5}}[一二三四五六七八九十0-9])|"
        r"(?:[岁载]|年[^，。]{{0,5}}[一二三四五六七八九十0-9])[\s\S]{{0,30}}{name}",
    ),
    (
        re.compile(r"老家|家乡|籍贯|哪里人|什么地方人|何方人"),
        NATIVE,
    ),
)

# How a story introduces {name}: style name, native place, kinship, "X is …", "called X".
INTRODUCTION = (
    r"{name}[^。！？]{{0,10}}(?:字[\u4e00-\u9fff]{{1,2}}|人也|人氏|乃[^。！？，]{{2,12}}|是[^。！？，]{{2,15}})|"
    r"{name}[^。！？，]{{0,4}}，[^。！？，]{{0,8}}(?:之[子女弟妹妻孙侄]|[岁人])|"
    r"(?:姓|名叫|名唤|叫做|叫作|人称|唤作|便是|乃是|当面叫他|当面叫她|绰号)[^。！？，]{{0,6}}{name}|"
    r"(?:was|is|called|named)\s(?:\w+\s)?{name}|{name}(?:,|\s(?:was|is))\s(?:the|a|an)\b"
)

# A clause "X did this 之后" presupposes that X did it: these are checked where they stand in such a clause.
PRESUPPOSITION = re.compile(r"^(.{3,24}?)(?:之后|以后|(?<![最然往皇王太])后(?=[，,]|立|又|去|被|他|她))")
PRESUPPOSED = _set("presupposed")

DEEDS = _told_by("deeds")
MUTUAL_DEEDS = _told_by("mutual_deeds")
DEEDS_ALONE = _told_by("deeds_alone")
KINSHIPS = _told_by("kinships")
KIN = _told_by("kin")
KIN_COUNTED = _told_by("kin_counted")
ANY_KIN = tuple(_TABLES["any_kin"].split())

SORTS = _told_by("sorts")
NAMELESS = _told_by("nameless")

MODERN_THINGS = _set("modern_things")
ENGLISH_MODERN_THINGS = _set("english_modern_things")
# Words that the segmenter's dictionary takes for names.
NOT_NAMES = _set("not_names")
