"""The addresses of a user's native functions, and what is known of their signatures."""

from cpython.pycapsule cimport PyCapsule_CheckExact, PyCapsule_GetName, PyCapsule_GetPointer
from libc.stdint cimport uintptr_t

from mcts_core.arguments import as_int, shorten
from mcts_core.errors import InvalidOption
from mcts_core.game import imported

from mcts_core.platform cimport mcts_is_code

__all__ = ["address_of"]


cdef enum:
    POINTER = 0
    NUMBER = 4       # bytes of an int32_t or uint32_t
    PYTHON_API = 4   # flag of ctypes: the function needs the GIL, which a search does not hold
    FIRST_PAGE = 4096  # no system has code below

cdef dict SIGNATURES = {
    "legal_moves": ("int32_t (void *context, const void *state, uint32_t *moves)", (POINTER, POINTER, POINTER)),
    "play": ("int32_t (void *context, void *state, uint32_t move)", (POINTER, POINTER, NUMBER)),
    "to_move": ("int32_t (void *context, const void *state)", (POINTER, POINTER)),
    "rollout": ("int32_t (void *context, const void *state, mcts_rng *rng)", (POINTER, POINTER, POINTER)),
    "simulate": ("int32_t (void *context, const void *root, const uint32_t *path, uint32_t length, "
                 "mcts_simulation *simulation, mcts_rng *rng)", (POINTER, POINTER, POINTER, NUMBER, POINTER, POINTER)),
    "expand": ("int32_t (void *context, const void *root, const uint32_t *path, uint32_t length, "
               "mcts_expansion *expansion)", (POINTER, POINTER, POINTER, NUMBER, POINTER)),
    "returns": ("int32_t (void *context, const void *state, double *values)", (POINTER, POINTER, POINTER)),
    "chance": ("int32_t (void *context, const void *state, uint32_t *moves, double *probabilities)",
               (POINTER, POINTER, POINTER, POINTER)),
    "observe": ("int32_t (void *context, const void *state, float *planes)", (POINTER, POINTER, POINTER)),
}


def address_of(function, str name):
    """The address of a native function. ``function`` is an int, a capsule, a tuple that begins with one
    (``scipy.LowLevelCallable``), a function of ctypes, or an object with an ``address`` (``numba.cfunc``). Raises
    InvalidOption, also if its signature is known and is not that of ``name``, or if there is no code at the address."""
    number = number_of(function, name)
    if number < FIRST_PAGE or mcts_is_code(number) == 0:
        raise InvalidOption(f"{name} must be the address of a native function, but there is no executable memory at "
                            f"{number:#x}, got {shorten(function)}")
    return number


cdef object number_of(object function, str name):
    given = function
    if isinstance(function, tuple) and len(function):
        function = function[0]
    if PyCapsule_CheckExact(function):
        return capsule_address(function, name)
    kind = imported("ctypes", "_CFuncPtr")  # if the function is a ctypes object, ctypes is imported
    if kind is not None and isinstance(function, kind):
        import ctypes

        check_ctypes(function, name)
        if function._flags_ & PYTHON_API:
            raise InvalidOption(f"{name} must be callable without the GIL: use ctypes.CFUNCTYPE, not PYFUNCTYPE or "
                                f"PyDLL")
        function = ctypes.cast(function, ctypes.c_void_p).value
    elif hasattr(function, "address"):
        check_numba(function, name)
        function = function.address
    if isinstance(function, bool) or not hasattr(function, "__index__"):
        raise InvalidOption(f"{name} must be a native function: a numba.cfunc, a function of ctypes, a capsule or an "
                            f"address, got {shorten(given)}")
    return as_int(function, f"the address of {name}", 0, <object>(<uintptr_t>-1))


cdef object capsule_address(object capsule, str name):
    cdef const char *signature = PyCapsule_GetName(capsule)
    told = b"" if signature == NULL else <bytes>signature
    if b"(" in told and told.count(b",") + 1 != len(SIGNATURES[name][1]):
        raise wrong_signature(name, told.decode(errors="replace"))
    return <object><uintptr_t>PyCapsule_GetPointer(capsule, signature)


cdef object wrong_signature(str name, str got):
    return InvalidOption(f"{name} must be a function {SIGNATURES[name][0]}, got {got}")


cdef int check_ctypes(object function, str name) except -1:
    """Compares the signature, if ctypes knows it; for a function of a library it often does not."""
    result, arguments = function.restype, function.argtypes
    if arguments is None:
        return 0
    if size_of(result) != NUMBER or tuple(map(size_of, arguments)) != SIGNATURES[name][1]:
        names = ", ".join(getattr(each, "__name__", repr(each)) for each in arguments)
        raise wrong_signature(name, f"{getattr(result, '__name__', result)} ({names})")
    return 0


def size_of(kind):
    """The size of a number type of ctypes; POINTER for a type that is passed as a pointer."""
    import ctypes
    return ctypes.sizeof(kind) if isinstance(kind, type) and issubclass(kind, ctypes._SimpleCData) and not issubclass(
        kind, (ctypes.c_void_p, ctypes.c_char_p)) else POINTER


cdef int check_numba(object function, str name) except -1:
    """Compares the signature of a ``numba.cfunc`` if ctypes can express it, and accepts other signatures."""
    try:
        seen = function.ctypes
    except Exception:
        return 0
    return check_ctypes(seen, name)
