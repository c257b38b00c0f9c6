"""Whether a sentence tells where something is: a preposition with a noun of a place, not a preposition alone."""

import re
from collections.abc import Collection
from itertools import takewhile

from nodes.sentences import sentence_spans
from tools.language import HAN
from tools.story.linking import fold
from wenmai.language.segmenting import segmenter

SAID = re.compile(
    r"位于|坐落[于在]|(?:位置|地点|地址|所在地|存放处)(?:[：:]\s*|[是为在])[^\s，。]|\blocated (?:in|at|on|near)\b"
)
# What a thing is kept in, or is at: kept is enough, what is done there is not where it is.
AT = re.compile(
    r"(?P<kept>(?:存放|停放|摆放|放置|安放|设置|安装|保管|保存|[存放停挂设贴装摆搁藏锁收置])[于在])"
    r"|(?<![现正存所旨实不])在|(?<![达得收感等看遇受直])到|前往|(?<![过出进失])去"
)
CLAUSE_ENDS = "，,。；;！？!?：:\n"
MOMENT = re.compile(r"(?:[前后後时時]|期间|时候|以内|之内)$")
PLACE = re.compile(
    r"(?:[楼室库仓厅层区柜架台馆院店场站屉墙角园房屋梯箱盒桶桌厂部科处门廊路街巷村镇县市省校]|[房车物手生水隔里]间"
    r"|大堂|中心|银行|窗口|门口|入口|出口|走廊|过道)[上下里内外中旁边侧]?$"
)
# Words that end so and are no places.
NO_PLACE = re.compile(
    r"^(?:[出入进离到上]?[库门场站店]|[上]市|全部|内部|干部|大部|部门|热门|专门|现场|市场|立场|在场|基层|阶层|误区|学科|本科"
    r"|好处|用处|坏处|之处|思路|线路|电路|框架|生意场)$"
)
DONE_THERE = frozenset(["办理", "领取", "领", "取", "拿", "借", "借用", "存放", "保管", "停放", "放置"])
PREPOSITION = r"(?:at|in|on|near|beside|behind|under|inside|outside|above|next to|opposite|by)"
ROOMS = (
    "room floor wall lobby basement hall office warehouse store storeroom shelf shelves rack cabinet drawer desk "
    "counter door entrance exit gate building garage yard kitchen corridor hallway closet cupboard locker box safe "
    "library lab laboratory station canteen cafeteria staircase reception roof bay street road avenue square town city "
    "campus table corner aisle hospital school bank shop"
)
ENGLISH = re.compile(
    r"\b(?:is|are|was|were|stands?|hangs?|lies?|sits?|kept|stored|placed|parked|found|mounted|installed|held|collected|"
    r"picked up|issued|available|takes? place|submitted|situated|go|come)(?: (?:also|always|usually))? "
    rf"(?:{PREPOSITION}|to) (?:[\w'’-]+ ){{0,4}}?(?:{'|'.join(ROOMS.split())})s?\b"
)
# Of what is kept, or stands somewhere, nothing else is asked: other questions, where one buys, have other answers.
KEPT_WHERE = re.compile(
    r"(?:[放摆搁存停挂]|保管|保存)置?[在于]?(?:哪|什么地方|何处|何處)|^\W*where (?:is|are|was|were)\b", re.IGNORECASE
)
HINT = re.compile(rf"\b(?:{'|'.join(ROOMS.split())})s?\b|\b(?i:in|at|near) [A-Z]|\d[-\w ]* [A-Z][a-z]+")


def lacks_place(question: str, text: str) -> bool:
    """Tell whether a question asks where a thing is kept, and a text tells of no place at all."""
    if not KEPT_WHERE.search(question):
        return False
    lines = (fold(" ".join(text[start:end].split())) for start, end in sentence_spans(text))
    return not HINT.search(text) and not any(map(tells_place, lines))


def tells_place(sentence: str, asked: Collection[str] = ()) -> bool:
    """Tell whether a sentence of one line, its case folded, tells a place; `asked` are words of what is done there."""
    if not HAN.search(sentence):
        return bool(SAID.search(sentence) or ENGLISH.search(sentence))
    if SAID.search(sentence):
        return True
    done = DONE_THERE.union(asked)
    return any(is_place(sentence[at.end() :], done, is_kept=bool(at["kept"])) for at in AT.finditer(sentence))


def is_place(behind: str, done: Collection[str], *, is_kept: bool) -> bool:
    """Tell whether a clause goes on with a place, and where nothing is kept there with nothing but what is `done`."""
    clause = "".join(takewhile(lambda sign: sign not in CLAUSE_ENDS, behind))
    words = [(word, tag) for word, tag in segmenter().tag(clause, True) if word.strip()]
    places = [at for at, (word, tag) in enumerate(words) if names_place(word, tag)]
    if not places or any(MOMENT.search(word) for word, _ in words):
        return False
    return is_kept or all(word in done or tag[0] in "fumqx" for word, tag in words[places[-1] + 1 :])


def names_place(word: str, tag: str) -> bool:
    """Tell whether a word is a noun of a place."""
    return tag == "ns" or (tag[0] in "nsfmi" and bool(PLACE.search(word)) and not NO_PLACE.match(word))
