"""Chooses, once at import, the instruction set for which the hot modules were compiled.

``setup.py`` compiles every hot module once per instruction set, ``tree.plain_tree`` as
``mcts_core.tree._plain_tree_<isa>``; each exports one capsule, ``table``, of C functions. For AVX-512 it compiles only
the modules that gain by it; in place of the others, those for AVX2 run. The environment variable ``MCTS_CORE_ISA``
forces an instruction set.
"""

import importlib
import os

from cpython.pycapsule cimport PyCapsule_GetPointer

from mcts_core.errors import InvalidOption

from mcts_core.platform cimport mcts_cpu_level


cdef tuple LEVELS = ("baseline", "avx2", "avx512")


def supported():
    """The instruction sets that this processor can run and this build holds, slowest first."""
    return [name for name in LEVELS[:mcts_cpu_level() + 1] if _built(name)]


def _built(name):
    """Whether this build holds an instruction set, by a module that is compiled for all of them."""
    try:
        importlib.import_module(f"mcts_core.games.connect_four._rollout_{name}")
    except ModuleNotFoundError:
        return False
    return True


def hot_module(name, isa):
    """The module ``name`` compiled for ``isa`` or, if it is not compiled for that, for the next lower one."""
    room, _, last = name.rpartition(".")
    for level in reversed(LEVELS[:LEVELS.index(isa) + 1]):
        compiled = f"mcts_core.{room}._{last}_{level}"
        try:
            return importlib.import_module(compiled)
        except ModuleNotFoundError as error:
            if error.name != compiled or level == LEVELS[0]:
                raise


def _choose():
    forced = os.environ.get("MCTS_CORE_ISA", "").strip().lower()
    if not forced:
        for name in reversed(LEVELS[:mcts_cpu_level() + 1]):
            if _built(name):
                return name
    elif forced in supported():
        return forced
    raise InvalidOption(f"MCTS_CORE_ISA must be one of {', '.join(supported())} on this machine, got {forced!r}")


isa = _choose()


cdef void *hot_table(str name) except NULL:
    return PyCapsule_GetPointer(hot_module(name, isa).table, b"mcts_core.table")
