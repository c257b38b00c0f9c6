"""Everything that Wenmai can do, as methods with typed arguments and results; every door is thin over it.

It knows no HTTP and no terminal. Who calls is checked by `caller`, how far the caller has read by `paging`.
"""
