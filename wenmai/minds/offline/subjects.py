"""Questions that leave their subject, their possessor or their object out."""

import re
from dataclasses import dataclass
from typing import Literal

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor, opening
from wenmai.minds.offline.categories import head_class, tag
from wenmai.minds.offline.clauses import SCENE, doer_left_out, subject_follows
from wenmai.minds.offline.done_to import done_to
from wenmai.minds.offline.generalities import OF_THE_BOOK, OF_THE_STORY, SUPPOSED, TO_THE_AGENT
from wenmai.minds.offline.reading import MASK, Reading
from wenmai.minds.offline.verbs import READ_AS_NAMES, deed, verbal

Gap = Literal["subject", "possessor", "outcome", "object", "matter"]
_RELATIVE_SUBJECT = re.compile(
    rf"的{MASK}|的[^，？?的]{{0,10}}(?:又|就|也|都|究竟|到底|分别)*(?:是|叫|有|为什么|怎么|后来|最后|字|呢|同|和|与|被)"
    r"|的[那这][个位名](?:[^，？?的]{0,4})，"
)
_VERB_PHRASE_SUBJECT = re.compile(r"[^，]{2,}(?:是(?:怎么|什么|谁|哪|为|在|指|不是)|发生|指的|讲的|怎么回事)")
_EXISTS = re.compile(
    r"轮到|"
    r"(?:别人|旁人|大家|众人|人们|有人)|有谁|(?:后来|当时|最后|那时|又|还)*有一?[个位名][^，？?]{1,12}的人"
    r"|(?:后来|当时|最后|那时|究竟|到底|，)*(?:有没有|可有|是否有|没有?|有)(?:什么|别的|其他)?人"
)
_PREDICATE = ("v", "d", "a", "p", "z", "r")
_COPULA = frozenset("是有叫封姓字被把和跟与对向替给为在从到由用让将住死葬嫁娶长活")
_ADVERBS = r"(?:后来|最后|当时|现在|究竟|到底|一共|总共|平时|以前|真的)*"
_NOUN_TAIL = re.compile(
    rf"^{_ADVERBS}(?:是|叫|有|呢|如何|怎|多|为|在|的|长|什么|上|下|都|里|又|哪|属|值|几|好|大不|高|贵|会|需|要|"
    r"能|还|么|，|？|\?|$)"
)
_WITHIN = re.compile(
    r"^(?:[身手脸头背腰心嘴口怀家眼肩脚腿额耳][上里中边下后旁]|手底下|[帐麾膝]下|信[里中上]|[上里下背]面)(?!的)"
)
"""A part of somebody, or what is about him, whatever is said of it: 身上中了几箭."""
_MODAL = re.compile(r"(?:会不会|能不能|可不可以|可曾|曾经?|非[要得]|偏要|执意|必须|不得不|被迫|一生|生平|一辈子)$")
_CHOSEN = re.compile(
    r"(?:头一个|第一个|最先|首先)?([^，的谁\ue000]{1,4})的(?:又|却)?是(?:哪一?(?![位名个员支路队家])|什么(?![人将兵军]))"
)
"""骑的是什么马: who does it is left out, what it is done to is asked for; 埋伏的是哪路人马 asks for the doer."""
_AMOUNT = re.compile(r"^(?:多少|几|多)[^，的\ue000]{1,3}(?<!人)(?:了|呢)?$")
_INTRANSITIVE = re.compile(
    r"^(?:在?[干做](?:些|点)?(?:什么|啥|嘛)|出场|登场|出现|出生|去世|逝世|阵亡|退场|病逝|病死|战死|投降)(?![^，]*的[^，]*是谁)|"
    r"^最[恨爱怕想敬烦疼喜讨佩看拿][^，]{0,2}的人?是"
)
_MOST = re.compile(r"最[^，]{1,3}的[^，]{0,5}是")
_BEHIND = re.compile(r"(?:以后|之后|以前|之前|后|前|时|的?时候)，?")
_INSTRUMENT = re.compile(r"一[刀箭枪剑戟矛斧鞭锤棒拳掌脚把怒气](?:之下|火)?(?!之|是|就是|呢|的)")
"""一箭射中了谁, 一怒之下杀了谁: how it was done, before its verb."""
_COLLECTIVE = re.compile(
    r"(?:母子|父子|母女|父女|夫妻|夫妇|兄弟|姐妹|姊妹|师徒|君臣|主仆|叔侄|祖孙|婆媳|翁婿)(?![俩二两三的们])"
)
_SUFFERED = re.compile(rf"被[^，的{MASK}]{{1,4}}(?:的时候|以后|之后|后|时)，?")
"""被活捉之后曹操怎么处置的: whom it befell is left out."""
_ANEW = re.compile(
    rf"[杀斩擒捉射刺踏夺盗救][灭了死走]?{MASK}+(?:的[^，是]{{1,4}})?又?是(?:在第几|在?哪一?回|什么时候|为什么|为何)"
)
"""斩颜良又是在第几回: another deed of whom the last question was about."""
_RECOMMENDED = re.compile(rf"[向给]{MASK}+(?:推荐|举荐|引荐|保举|献)的又?是(?:谁|哪|什么)")
"""向刘备推荐的是谁: who recommended him is left out."""
_COUNTED = re.compile("[一两二三四五几]个(?=[^，]{1,4}(?:怎么|后来|最后|呢|叫|是|都))")
"""死后两个儿子怎么办: the kin are counted, whose is left out."""
_MEETING = ("见", "到", "上", "着", "娶", "请", "派", "带", "收", "生", "拜")
"""How verbs end that have a person for their object."""
_OUTCOME = re.compile(r"(?:的(?:事情?|情况|经过))?(?:呢|怎么样了?|如何|怎样|了|了呢)?")
"""What is left of 后来的事呢 behind its adverb."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What is left out and where it belongs in the question."""

    gap: Gap
    at: int


def missing(reading: Reading, anaphors: list[Anaphor]) -> Missing | None:
    """Return the gap of a question whose predicate has no subject of its own, None when it has one."""
    text = reading.masked
    if not reading.body():
        return None
    if TO_THE_AGENT.match(text) or any(one.form == "asked" for one in anaphors):
        return None
    done = None if anaphors else done_to(reading)
    if done is not None:
        return Missing("object", done)
    if not anaphors and (OF_THE_BOOK.search(text) or SUPPOSED.match(text, opening(text))):
        return None
    start = _insertion(text)
    body, spans = _body(text)
    if phrases.NEW_TOPIC.match(text[start:]) or phrases.NEW_TOPIC.match(text[body:]) or "《" in text:
        return None
    if any(
        one.start <= body and one.form not in ("place", "matter") and not _inside(one.start, spans) for one in anaphors
    ):
        return None
    if any(one.form == "description" and one.start == begin for one in anaphors for begin, _ in spans):
        return None  # 被骗的那位得知以后，怎么说
    if any(one.start < body and not _inside(one.start, spans) for one in reading.named):
        return None
    if _EXISTS.match(text[body:]) or _EXISTS.match(text[start:]):
        return None
    doer = doer_left_out(reading, start, body, spans, referring=bool(anaphors))
    if doer is not None:
        return Missing("subject", doer)
    if _MODAL.search(text[start:body]) and text[body : body + 1] not in ("", MASK):
        return Missing("subject", start)
    if text[body : body + 1] == MASK and any(_SUFFERED.match(text, begin) for begin, _ in spans):
        return Missing("subject", start)
    gap = _gap(text[body:], _anaphor_text(anaphors, body, text))
    if gap == "subject" and subject_follows(reading, start, body):
        return None
    return Missing(gap, body if gap == "possessor" else start) if gap else None


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)


def _anaphor_text(anaphors: list[Anaphor], body: int, text: str) -> bool:
    return any(one.start >= body for one in anaphors)


def _insertion(text: str) -> int:
    """Return where a subject is put: behind conjunctions that open the question."""
    found = re.match(
        rf"(?:(?:那么|{phrases.THEN}|而|但是|但|可是|不过|所以|于是|然后|请问|其实|这样说来|哦|噢|嗯|哎|啊|对了|好的|"
        r"是的)[，, ]?)*",
        text,
    )
    return found.end() if found else 0


def _body(text: str) -> tuple[int, list[tuple[int, int]]]:
    """Return where predicate or noun begin, behind adverbs, places and clauses without a subject (their spans too)."""
    at, spans = opening(text), list[tuple[int, int]]()
    moved = True
    while moved:
        moved = False
        for pattern in (phrases.PLACE_PHRASE, phrases.TIME_CLAUSE, _INSTRUMENT, SCENE):
            found = pattern.match(text[at:])
            scene = pattern in (_INSTRUMENT, SCENE)
            if found and found.end() < len(text) - at and (scene or _subjectless(found[0])):
                spans.append((at, at + found.end()))
                at += found.end()
                moved = True
        step = opening(text[at:])
        at, moved = at + step, moved or bool(step)
    return at, spans


def _subjectless(clause: str) -> bool:
    if re.search(phrases.WHO, clause):
        return False
    words = tag(clause)
    if not words or clause[0] == MASK:
        return False
    word, label = words[0]
    moving = (len(word) == 2 and word[0] in phrases.GOING) or word in READ_AS_NAMES
    if label.startswith(("v", "p", "d", "a", "zg", "i", "l", "b")) or moving or deed(words):
        return True
    lone = label.startswith("n") and _BEHIND.fullmatch(clause, len(word)) is not None
    return lone and head_class(word)[0] != "person"  # 脱险以后, whatever its tag


def _gap(body: str, anaphor: bool) -> Gap | None:
    bare = body.strip("？?。！! ")
    if _OUTCOME.fullmatch(bare):
        return "outcome"
    if OF_THE_STORY.match(bare):
        return None
    if bare[0] == MASK:
        return None
    if _AMOUNT.match(bare) or _INTRANSITIVE.match(bare):
        return "subject"
    if phrases.WH_SUBJECT.match(bare):
        return None if MASK in bare or anaphor else _objectless(bare)
    words = tag(bare)
    chosen = _CHOSEN.match(bare)
    if chosen and tag(chosen[1])[-1][1] == "v":
        return "subject"
    if _relational(bare) or _WITHIN.match(bare) or _superlative(bare):
        return "possessor"
    if _obtained(bare):
        return "subject"
    if not (verbal(words) or bare[0] in _COPULA or _COLLECTIVE.match(bare)):
        return None
    if _ANEW.match(bare) or _RECOMMENDED.match(bare):
        return "subject"
    if _RELATIVE_SUBJECT.search(bare) or (bare[0] not in _COPULA and _VERB_PHRASE_SUBJECT.match(bare)):
        return None
    return "subject"


def _obtained(bare: str) -> bool:
    """Tell whether the thing or person asked about is what somebody left out ate, wrote, met: 吃的药是谁送的."""
    before, _, last = bare.rpartition("，")
    words = tag(last)
    if MASK in bare or len(words) < 4 or words[1][0] != "的" or (before and not verbal(tag(before + "，"))):
        return False
    (verb, label), (noun, kind), behind = words[0], words[2], words[3]
    if label[0] not in "vpq" or kind not in ("n", "ng", "zg") or behind[1].startswith(("n", "u", "x", "y")):
        return False
    return head_class(noun)[0] != "person" or verb.endswith(_MEETING)


def _objectless(bare: str) -> Gap | None:
    """是谁告发的, 谁赢了: the one it was done to is left out; 谁发明了木牛流马 has it, 谁箭伤未愈 needs none."""
    rest = phrases.WH_SUBJECT.sub("", bare)
    if not re.search("[了过的]", rest):
        return None
    nouns = [
        word
        for word, label in tag(rest)
        if (label.startswith(("n", "i", "l", "m", "s")) and len(word) > 1 and word[-1] not in "来去")
        or word in ("火", "刀")
    ]
    return None if nouns else "matter"


def _relational(bare: str) -> str | None:
    if counted := _COUNTED.match(bare):
        bare = bare[counted.end() :]
    for length in (4, 3, 2, 1):
        noun = bare[:length]
        if len(noun) == length and noun in phrases.RELATIONAL and _follows(noun, bare[length:]):
            return noun
    return None


def _follows(noun: str, tail: str) -> bool:
    """Tell whether a relational noun opens the question; one of a single character may begin another word."""
    if _MOST.match(tail):
        return False  # 武艺最高的是哪位
    if _NOUN_TAIL.match(tail):
        return True
    return len(noun) > 1 and next((label for _, label in tag(tail)), "").startswith(_PREDICATE)


def _superlative(bare: str) -> bool:
    """最厉害的本事是什么: a relational noun behind an adjective."""
    found = re.match(r"(?:最|第一次|唯一)[^，\ue000]{1,6}?的?([^，的\ue000]{1,4})(?:是|叫|有)", bare)
    return found is not None and any(found[1].endswith(noun) for noun in phrases.RELATIONAL)
