"""A pronoun beside a subject that is left out: which of the two is filled first."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.discourse import Discourse
from wenmai.minds.offline.reading import Reading
from wenmai.minds.offline.subjects import Missing


def second(discourse: Discourse, pronoun: Anaphor) -> bool:
    """Tell whether the last question had a doer and an object, so that 为什么赐死她 goes on with both."""
    people = {one.name for one in discourse.turns[0].question.people()} if discourse.turns else set()
    return pronoun.governed and len(people) > 1


def ahead(gap: Missing, pronoun: Anaphor, reading: Reading) -> bool:
    """Tell whether the pronoun names the subject that the clause before it leaves out: 看到惨状，他为什么流泪."""
    before = reading.masked[gap.at : pronoun.start]
    return gap.gap == "subject" and re.search(r"(?:[，时后前]|时候|当初|当时)$", before) is not None


def victim(reading: Reading, pronoun: Anaphor) -> bool:
    """Tell whether a hostile verb governs the pronoun: 为什么要杀他, 为什么把他赶走."""
    text = reading.masked
    near = text[max(0, pronoun.start - 2) : pronoun.start]
    behind = text[pronoun.end : pronoun.end + 2]
    return bool(phrases.HOSTILE & set(near)) or (near.endswith(("把", "将")) and bool(phrases.HOSTILE & set(behind)))
