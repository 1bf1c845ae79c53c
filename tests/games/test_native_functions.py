"""src/mcts_core/games/native_functions.pyx: the forms in which a user's native function may be given."""

import ctypes
import sys

import pytest
from callback_game import PLAY

import mcts_core as mc
from mcts_core.games.native_functions import address_of


def address(function):
    return ctypes.cast(function, ctypes.c_void_p).value


def capsule(function, name):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return make(address(function), name, None)


NAME = b"int32_t (void *, void *, uint32_t)"  # which must live as long as the capsules


class Compiled:
    """What a numba.cfunc looks like."""

    def __init__(self, function, seen=None):
        self.address, self.function, self.seen = address(function), function, seen or function

    @property
    def ctypes(self):
        if self.seen == "unknown":
            raise NotImplementedError
        return self.seen


def test_functions_come_in_many_forms():
    play = PLAY(lambda *_: 0)
    for form in (
        play,
        address(play),
        capsule(play, None),
        capsule(play, NAME),
        (capsule(play, NAME), None, None),
        Compiled(play),
        Compiled(play, "unknown"),
    ):
        assert address_of(form, "play") == address(play)
    library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
    assert address_of(library.abs, "to_move") == address(library.abs)  # nothing is known of its signature
    with pytest.raises(
        mc.InvalidOption, match=r"to_move must be a function .*, got int32_t \(void \*, void \*, uint32_t\)"
    ):
        address_of(capsule(play, NAME), "to_move")
    with pytest.raises(mc.InvalidOption, match="to_move must be a function"):
        address_of(Compiled(play), "to_move")


def data_address():
    """Of memory that holds no code, and stays."""
    data_address.kept = ctypes.create_string_buffer(1 << 16)
    return ctypes.addressof(data_address.kept)


@pytest.mark.parametrize("wrong", [0, 1, 2, 4095])
def test_what_cannot_be_the_address_of_a_function(wrong):
    with pytest.raises(mc.InvalidOption, match=rf"play must be the address of a native function, but there is no "
                                               rf"executable memory at {wrong:#x}, got {wrong}$"):
        address_of(wrong, "play")
    with pytest.raises(mc.InvalidOption, match="legal_moves must be the address of a native function"):
        mc.native_game(legal_moves=1, play=2, state_size=4, max_moves=4)


@pytest.mark.skipif(not sys.platform.startswith(("linux", "win", "darwin")), reason="the system does not say")
def test_addresses_of_data_and_of_nothing():
    for wrong in (data_address(), id(object), 1 << 46, (1 << 64) - 16):
        with pytest.raises(mc.InvalidOption, match=f"there is no executable memory at {wrong:#x}"):
            address_of(wrong, "play")
    play = PLAY(lambda *_: 0)
    assert address_of(address(play), "play") == address(play)
