"""A pytest plugin: the garbage collector passes over what collecting the tests leaves, modules and items.

They stay to the end, and looking through all of them takes half a second, again and again.
"""

import gc

gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
