"""What the shape of the last question says of whom a pronoun means: who was advised answers, who was shot suffers."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.reading import MASK
from wenmai.minds.offline.turns import TurnView

KIN_COST = 3.0
ASKED_AFTER = 5.0
ADDRESSED = 6.0
SUFFERED = 6.0
CHARGED = 6.0
"""Chosen by hand on talks over several stories, in units of salience; where the library was asked their sum is one of
the signs that `weighing` weighs."""


def cue(discourse: Discourse, one: Referent, context: str) -> float:
    """Return what the last question says for somebody at a pronoun of the question `context`."""
    if not discourse.turns:
        return 0.0
    return (
        _addressed(discourse, one, context)
        + _victim(discourse, one, context)
        + _asked_after(discourse, one, context)
        + _suffered(discourse, one, context)
        + _again(discourse, one, context)
        + _charged(discourse, one, context)
        - _killer_cost(discourse, one, context)
    )


def _killer_cost(discourse: Discourse, one: Referent, context: str) -> float:
    """A killer's name is asked for, then 他儿子, 其妻: the family is the victim's."""
    view = discourse.turns[0]
    kin = re.search(
        r"(?:[他她]的?|其)(?:" + "|".join(k for k in phrases.KIN if len(k) > 1 or k in "妻父母子") + ")", context
    )
    return KIN_COST if view.role == "agent" and one.name in view.focus and kin else 0.0


def _addressed(discourse: Discourse, one: Referent, context: str) -> float:
    """Who was advised is the one who listens: 王平劝过马谡什么, then 他为什么不听."""
    view = discourse.turns[0]
    people = view.question.people()
    if len(people) < 2 or people[1].name != one.name or not _REPLY.search(context):
        return 0.0
    return ADDRESSED if _ADVICE.search(view.question.masked[people[0].end : people[1].start]) else 0.0


def _victim(discourse: Discourse, one: Referent, context: str) -> float:
    """Whose death or age is asked for is who was killed: 曹操为什么杀杨修, 他死的时候多大."""
    killed = _FATE.search(context) is not None and suffers(discourse.turns[0], one, phrases.KILL)
    return ADDRESSED if killed else 0.0


def _again(discourse: Discourse, one: Referent, context: str) -> float:
    """Who did it once did it again: 关羽斩了华雄, 颜良也是被他斩的吗; 他为什么杀丁原, 后来又为什么杀了董卓."""
    view = discourse.turns[0]
    people = view.question.people()
    again = _DOES_AGAIN.search(context)
    if not people or people[0].name != one.name or not again:
        return 0.0
    deeds = set(f"{HARM}{again[1] or ''}") & set(context) & set(view.question.masked[people[0].end :])
    done_to = re.match("[^，]{0,6}[被遭]", view.question.masked[people[0].end :])
    return ADDRESSED if deeds and not done_to else 0.0


_DOES_AGAIN = re.compile(
    "[也又还](?:是)?[被由让][他她]([^，？的了是]{1,2})|[他她][^，]{0,3}[又还再也]|[又也还][^，？]{0,8}[他她]"
)


def _charged(discourse: Discourse, one: Referent, context: str) -> float:
    """Who was told to do it is the one who does it: 周瑜让诸葛亮造箭, 他几天交齐."""
    view = discourse.turns[0]
    people = view.question.people()
    if len(people) < 2 or people[1].name != one.name or not _ACTS.search(context):
        return 0.0
    between, behind = view.question.masked[people[0].end : people[1].start], view.question.masked[people[1].end :]
    return CHARGED if _TELLS.search(between) and not _TO_MEET.match(behind) else 0.0


_TELLS = re.compile("(?<!不)(?:让|命令?|派|叫|令|请|差|遣|要|(?:收买|说动|说服|劝降|招降|策反|打动)了?)$")
_TO_MEET = re.compile("[的，？?。]|$|[来去]?(?:见|帮|给)(?:自己|他)")
_ACTS = re.compile("(?:^|[，。时后])(?:那|后来|最后|当时|结果|于是)*[他她](?!的)")


def _asked_after(discourse: Discourse, one: Referent, context: str) -> float:
    """Whose looks or motive is asked for is who was asked for just now: 曹操请了哪位神卜, 他是哪里人."""
    view = discourse.turns[0]
    if view.focus[:1] != [one.name]:
        return 0.0
    newcomer = view.role in ("identity", "object", "agent") and _WHO_IS.search(context)
    doer = view.role in ("identity", "agent") and _DID.search(context)
    return ASKED_AFTER if newcomer or doer else 0.0


_WHO_IS = re.compile(
    r"他(?:长(?:得|什么|啥)|是(?:哪里|哪儿|何方|什么)人|是(?:谁|哪个[^，？的]{0,2})的(?:手下|部下|部将|下属|家奴)|什么(?:来历|模样|相貌|官|身份)|[姓字]什么)"
    r"|他的?(?:相貌|长相|来历|籍贯|外号|绰号|本名|真名)"
)
_DID = re.compile(
    r"他(?:为什么|为何|干[吗嘛])?(?:要|会)?(?:[干做](?:这|出这|下这)|(?:这么|这样)[干做])|他图(?:的|什么)|"
    rf"他(?:为什么|为何|干[吗嘛]|凭什么)[非]?要?(?:[{phrases.KILL}]|背叛|出卖|陷害|告[密发]|投降|叛[变逃])"
)
_FATE = re.compile(r"[他她]的?(?:临?死|被杀|遇害|首级|尸|墓|遗言)|多大|年纪|几岁|多少岁")


def parallel(discourse: Discourse, one: Referent) -> float:
    """An object goes on with the last question's object, not with its doer."""
    view = discourse.turns[0] if discourse.turns else None
    people = list(dict.fromkeys(person.name for person in view.question.people())) if view else []
    if view is None or len(people) < 2 or people[0] != one.name or people[0] in view.continued:
        return 0.0
    if not governed_second(view, people[1]):
        return 0.0
    return -PARALLEL


def governed_second(view: TurnView, name: str) -> bool:
    """Tell whether somebody is the object of the last question's own verb, and no pronoun took up its doer."""
    masked = view.question.masked
    at = next(person.start for person in view.question.people() if person.name == name)
    if re.search(r"[他她]", masked) or re.search(r"[，；]|时|后", masked[:at]):
        return False
    verb = next((word for word in view.question.words if word.end == at), None)
    if verb is None or verb.text[-1] in "叫名号称是为向对给":
        return False
    return verb.tag[:1] == "v" or verb.text[-1] in "把将了过着"


PARALLEL = 2.5
_REPLY = re.compile(r"(?<!被)(?:[不没肯]听|听了|听从|答应|同意|拒绝|接受|采纳|照做)")
_ADVICE = re.compile(r"[劝请求邀派]|说服|建议|提醒|警告|要求|命令|嘱咐")


HARM = f"{phrases.KILL}射砍伤砸劈打骂捉擒困围追骗"
CURE = "治医"
_HURT = re.compile(
    "(?:拔|取)(?:出|下|掉)?[^，]{0,3}箭|箭[^，]{0,4}拔|中[了的]?箭|[箭枪刀]伤|伤[口势]|养伤|(?<!心)疼(?!爱)|流血|几颗牙|眼珠|"
    "(?:治|[开动挨]刀|动手术|刮骨|疗[毒伤])(?:的?时候?|那会儿|时|$)"
)
_RESCUED = re.compile(
    "(?:救|护|保)[了出下走过起]{0,2}(?:他|她)|把(?:他|她)[^，]{0,3}救|(?:替|为|给)(?:他|她)[^，]{0,4}(?:求情|说情|解围|挡|报了?仇|收尸)|[留饶保][了下]?(?:他|她)一?条?[性]?命"
)
_WARNED = re.compile("(?:提醒|警告|告诉|通知)(?:了|过)?(?:他|她)|[给向](?:他|她)(?:报信|送信|通风|使眼色|递眼色|示意)")
_RECEIVED = re.compile("(?:他|她)(?:收到|接到|受了|受到|遭|挨|得到|中了?计|上当)")
_CAUGHT = re.compile("(?:他|她)被[^，]{0,2}[捉擒抓俘]")
GIVING = "送赠献寄给赐借"


def _suffered(discourse: Discourse, one: Referent, context: str) -> float:
    """Who was shot, treated or to be killed has the arrow out, is rescued or warned: 谁射的夏侯惇, 他把箭拔出来."""
    view = discourse.turns[0]
    if _HURT.search(context):
        deed = f"{HARM}{CURE}"
    elif _RESCUED.search(context) or _WARNED.search(context):
        deed = f"{HARM}劝逼"
    elif _RECEIVED.search(context):
        deed = f"{GIVING}{HARM}"
    elif _CAUGHT.search(context):
        deed = "捉擒抓俘活虏"
    else:
        return 0.0
    return SUFFERED if suffers(view, one, deed) else 0.0


def suffers(view: TurnView, one: Referent, deed: str) -> bool:
    """Tell whether the question of a turn says that a deed of these characters befell somebody."""
    places = [person for person in view.question.people() if person.name == one.name]
    return any(_befell(view.question.masked, person.start, person.end, deed) for person in places)


def _befell(text: str, start: int, end: int, deed: str) -> bool:
    """Tell whether a deed of these characters befell whom a text names there."""
    part = f"(?:的[^，是{MASK}]{{1,6}}|[^，。是{MASK}]{{1,8}}，)?"
    if re.match(f"[^，{MASK}]{{0,8}}中了?[^，]{{0,4}}箭", text[end:]):
        return True
    if re.search("见[了到]?$", text[:start]) and re.match(f"[^，]{{0,2}}[就便]?要[{deed}]", text[end:]):
        return True  # 一见魏延就要杀
    return (
        re.search(f"[{deed}][中死伤住了掉给过的]{{0,2}}$|[把给替为将]$", text[:start]) is not None
        and (text[start - 1] not in "把给替为将" or re.match(f"[^，]{{0,8}}[{deed}]", text[end:]) is not None)
    ) or re.match(f"{part}(?:是?被|[是让叫]{phrases.WHO}|当?[时后]被)[^，]{{0,10}}[{deed}]", text[end:]) is not None
