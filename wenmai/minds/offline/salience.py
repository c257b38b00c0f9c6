"""Choosing what an anaphor stands for."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.turns import TurnView
from wenmai.minds.offline.weighing import weighed

KIN_COST = 3.0
UNKNOWN_GENDER_COST = 30.0
FEMININE_NAME_COST = 12.0


def person(discourse: Discourse, anaphor: Anaphor, taken: set[str], context: str) -> str | None:
    """Return the most salient person that a singular pronoun may stand for."""
    scored = [
        (
            one.score
            - _gender_cost(one, anaphor.female)
            - _killer_cost(discourse, one, context)
            + _addressed(discourse, one, context)
            + _victim(discourse, one, context)
            + _asked_after(discourse, one, context)
            + (parallel(discourse, one) if anaphor.governed else 0.0),
            one,
        )
        for one in discourse.people()
        if one.name not in taken
        and gender_fits(one, anaphor.female)
        and not _described_otherwise(discourse, one, context)
    ]
    if anaphor.female and not any(one.female for _, one in scored):
        return _female_noun(discourse) or best_of(scored)
    able = [pair for pair in scored if pair[1].female] if anaphor.female else scored
    return best_of(weighed(discourse, able, anaphor.start))


def _female_noun(discourse: Discourse) -> str | None:
    """Return a woman whom the last turns call by a noun only: 女王, 女妖精."""
    for view in discourse.turns[:2]:
        for reading in (view.answer, view.question):
            for word in reading.words:
                if (
                    len(word.text) > 1
                    and word.tag.startswith("n")
                    and re.fullmatch(r"女[^儿人的]+|.*公主|皇后|老太太|妇人|少女", word.text)
                ):
                    return word.text
    return None


def best_of(scored: list[tuple[float, Referent]]) -> str | None:
    """Return the name with the best score, the newer on ties."""
    ranked = sorted(scored, key=lambda pair: (-pair[0], pair[1].age, pair[1].name))
    return ranked[0][1].name if ranked else None


def gender_fits(one: Referent, female: bool | None) -> bool:
    """Tell whether nothing speaks against a gender."""
    return female is None or one.female is None or one.female == female


def _gender_cost(one: Referent, female: bool | None) -> float:
    if not female or one.female is not None:
        return 0.0
    return FEMININE_NAME_COST if phrases.FEMININE.search(one.name[1:]) else UNKNOWN_GENDER_COST


def _killer_cost(discourse: Discourse, one: Referent, context: str) -> float:
    """A killer's name is asked for, then 他儿子, 其妻: the family is the victim's."""
    view = discourse.turns[0] if discourse.turns else None
    kin = re.search(
        r"(?:[他她]的?|其)(?:" + "|".join(k for k in phrases.KIN if len(k) > 1 or k in "妻父母子") + ")", context
    )
    return KIN_COST if view and view.role == "agent" and one.name in view.focus and kin else 0.0


def _addressed(discourse: Discourse, one: Referent, context: str) -> float:
    """Who was advised is the one who listens: 王平劝过马谡什么, then 他为什么不听."""
    view = discourse.turns[0] if discourse.turns else None
    people = view.question.people() if view else []
    if not view or len(people) < 2 or people[1].name != one.name or not _REPLY.search(context):
        return 0.0
    return ADDRESSED if _ADVICE.search(view.question.masked[people[0].end : people[1].start]) else 0.0


def _victim(discourse: Discourse, one: Referent, context: str) -> float:
    """Whose death or age is asked for is who was killed: 曹操为什么杀杨修, 他死的时候多大."""
    view = discourse.turns[0] if discourse.turns and _FATE.search(context) else None
    killed = view is not None and any(
        person.name == one.name
        and re.search(f"[{phrases.KILL}](?:死|了|掉)?$", view.question.masked[: person.start])
        and person is not view.question.people()[0]
        for person in view.question.people()
    )
    return ADDRESSED if killed else 0.0


def _asked_after(discourse: Discourse, one: Referent, context: str) -> float:
    """Whose looks or motive is asked for is who was asked for just now: 曹操请了哪位神卜, 他是哪里人."""
    view = discourse.turns[0] if discourse.turns else None
    if view is None or view.focus[:1] != [one.name]:
        return 0.0
    newcomer = view.role in ("identity", "object", "agent") and _WHO_IS.search(context)
    doer = view.role in ("identity", "agent") and _DID.search(context)
    return ASKED_AFTER if newcomer or doer else 0.0


ASKED_AFTER = 5.0
_WHO_IS = re.compile(
    r"他(?:长(?:得|什么|啥)|是(?:哪里|哪儿|何方|什么)人|什么(?:来历|模样|相貌)|[姓字]什么)"
    r"|他的?(?:相貌|长相|来历|籍贯|外号|绰号|本名|真名)"
)
_DID = re.compile(r"他(?:为什么|为何)?(?:要|会)?(?:[干做](?:这|出这|下这)|(?:这么|这样)[干做])|他图(?:的|什么)")
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
ADDRESSED = 6.0
_REPLY = re.compile(r"[不没肯]听|听了|听从|答应|同意|拒绝|接受|采纳|照做")
_ADVICE = re.compile(r"[劝请求邀派]|说服|建议|提醒|警告|要求|命令|嘱咐")


def _described_otherwise(discourse: Discourse, one: Referent, context: str) -> bool:
    """Somebody whom the question calls by the noun that was asked for (接过孩子) is not its pronoun too."""
    view = discourse.turns[0] if discourse.turns else None
    return bool(view and len(view.head) > 1 and one.name in view.focus and f"{view.head}" in context)
