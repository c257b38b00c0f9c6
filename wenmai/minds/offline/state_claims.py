"""What a question takes for granted of one person: that he died, that he held an office (S003-D08)."""

import re
from collections.abc import Iterator, Sequence

from tools.story.linking import Mention, NameTable
from wenmai.minds.offline.deed_claims import NOT_DONE, SENTENCE_ENDS, SPEECH, last_before, strangers_in
from wenmai.minds.offline.matching import name_pattern
from wenmai.minds.offline.words import expansions

WHEN = "(?:之后|以后|后|的时候|时|那天|那年|的那)"
KILLS = "杀射刺毒害打砍烧淹勒"
NO_DEATH = f"{KILLS}骂气逼吓累饿没未不诈装假"  # 骂死王朗, 诈死: somebody else's death, or none
ASKED_DEATH = re.compile(
    rf"(?P<gap>[^，。？被]{{0,8}}?)(?:(?:被[^，。？]{{0,6}})(?:[{KILLS}]死?|斩)|(?<![{NO_DEATH}])死|去世|逝世|病逝|病故|阵亡|自杀|遇害)了?"
    rf"[^，。？的]{{0,4}}?{WHEN}"
)
DEATH = re.compile(
    rf"(?<![{KILLS}未不欲敢该战效拼必万宁拚])(?:死(?![战罪者士守地伤活生])|卒(?=[，。；于年])|薨|崩(?=[，。；于年])|殂|亡(?=[，。；年])|殒|丧命|毙"
    r"|阵亡|战死|自刎|自缢|自尽|气绝|归天|升天|绝命|遇害|被[^，。]{0,10}[杀诛害斩刺射])"
)
KILLED = rf"{NOT_DONE}(?:[杀斩诛害弑缢]|射死|刺死|鸩死|首级|之死)[了死讫]?[^，。！？]{{0,4}}"
ASKED_OFFICE = re.compile(
    rf"[^，。？]{{0,4}}?(?:当上|做了|当了|做上|成为|成了)了?(?P<office>[\u4e00-\u9fff]{{2,6}}?){WHEN}"
)
TAKEN = "(?<![大副部蜀魏吴上老名众诸番偏裨])[将把]"  # not 大将关羽
SLAIN = rf"[^。！？]{{0,12}}[{KILLS}缢]死(?=[，。；于在])"  # 将张郃并百余个部将，皆射死于木门道
# 指太子司马炎而死: not he; 命将蔡邕缢死: he
OBJECT_OF = re.compile(r"[指召命立托付唤令遣使](?:[^将把]{0,3}|[^将把]{0,1}[大副部上名众诸偏裨]将)$")
SCENE = 120  # characters between a death and its place
GAP = 24  # characters between somebody and what is told of him


def states_told(question: str, mentions: Sequence[Mention], texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether every state that a question takes for granted is told of the one whom it is said of."""
    deaths = list(deaths_of(question, mentions, table))
    narrated = [SPEECH.sub("“”", text) for text in texts] if deaths else []
    return all(died(name, place, narrated, table) for name, place in deaths) and all(
        held(name, office, texts, table) for name, office in offices_of(question, mentions, table)
    )


def deaths_of(question: str, mentions: Sequence[Mention], table: NameTable) -> Iterator[tuple[str, str | None]]:
    """Yield who is said to have died, and the place where it is said: 周瑜死后, 赵云战死长坂坡以后."""
    for person in mentions:
        found = ASKED_DEATH.match(question, person.end) if is_person(person, table) else None
        if not found or any(is_person(m, table) and person.end <= m.start < found.end() for m in mentions):
            continue
        places = (m.entity for m in mentions if person.end <= m.start < found.end() and not is_person(m, table))
        yield person.entity or "", next(places, None)


def offices_of(question: str, mentions: Sequence[Mention], table: NameTable) -> Iterator[tuple[str, str]]:
    """Yield who is said to have held which office: 周瑜当上吴王以后."""
    for person in mentions:
        found = ASKED_OFFICE.match(question, person.end)
        named = found and any(
            m.start < found.end() and m.end > found.start("office") and m.text != found["office"] for m in mentions
        )
        if found and not named and is_person(person, table):
            yield person.entity or "", found["office"]


def is_person(mention: Mention, table: NameTable) -> bool:
    """Tell whether a mention is of one person; places and states are often left out where a deed is told."""
    return mention.entity is not None and table.kind(mention.entity) == "Character"


def died(name: str, place: str | None, narrated: Sequence[str], table: NameTable) -> bool:
    """Tell whether somebody's death is told, near the place that it is said of."""
    own = re.compile(name_pattern(name, table))
    near = re.compile(name_pattern(place, table)) if place else None
    killed = re.compile(f"{KILLED}{own.pattern}|{TAKEN}{own.pattern}{SLAIN}")
    return any(
        near is None or near.search(text, max(0, at - SCENE), at + SCENE)
        for text in narrated
        for at in deaths_in(text, own, killed, name, table)
    )


def deaths_in(text: str, own: re.Pattern[str], killed: re.Pattern[str], name: str, table: NameTable) -> Iterator[int]:
    """Yield where a text tells somebody's death: he is the last one named before it, or he is killed."""
    yield from (at.start() for at in killed.finditer(text))
    for at in DEATH.finditer(text):
        by = last_before(own, text, at.start(), SENTENCE_ENDS)
        acted_on = by is not None and OBJECT_OF.search(text, max(0, by.start() - 4), by.start())
        if by and not acted_on and not strangers_in(text[by.end() : at.start()], (name, name), table):
            yield at.start()


def held(name: str, office: str, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text has an office near behind somebody's name."""
    forms = "|".join(re.escape(form) for form in (office, *expansions(office)))
    told = re.compile(rf"{name_pattern(name, table)}[^。！？]{{0,{GAP}}}(?:{forms})")
    return any(told.search(text) for text in texts)
