"""A pytest plugin: the garbage collector passes over what collecting the tests leaves, modules and items.

They stay to the end, and looking through all of them takes half a second, again and again.
"""

import gc

import pytest

gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.freeze()
    gc.enable()
