"""What is fuzzed: functions of bytes, one for each door through which text and files come in.

A target returns where the input was refused in the way that is documented, or could be used and passed the checks. What
else may come of it, an exception, a crash or a hang, is a finding. ``SEEDS`` are inputs to begin with.
"""

import functools
import inspect
import io
import json
import marshal
import pathlib
import pickle
import struct
import zipfile
import zlib

import saved_files
from network_oracle import made_up
from nim import Comparable
from saved_files import put_together, take_apart
from seeds import without_seed

import mcts_core as mc
from mcts_core import storage
from mcts_core.arguments import shorten
from mcts_core.bots.gomocup import Gomocup
from mcts_core.bots.lines import Lines, serve
from mcts_core.bots.ugi import UGI, Notation
from mcts_core.cli.games import parse_game
from mcts_core.engine import storage as tree_storage
from mcts_core.games.mnk.network import Network
from mcts_core.testing import probe

REFUSED = (mc.IllegalMove, mc.GameOver, mc.InvalidState, mc.InvalidOption)
BOARDS = [
    (mc.ConnectFour, {}), (mc.ConnectFour, {"rows": 4, "cols": 5, "connect": 3}),
    (mc.ConnectFour, {"rows": 8, "cols": 9, "connect": 5}), (mc.ConnectFour, {"rows": 3, "cols": 32}),
    (mc.TicTacToe, {}), (mc.MNK, {"m": 5, "n": 4, "k": 4}), (mc.MNK, {"m": 8, "n": 7, "k": 5, "rule": "exact"}),
    (mc.MNK, {"m": 32, "n": 2, "k": 3}), (mc.Gomoku, {}), (mc.Gomoku, {"size": 20, "rule": "exact"}),
]


def _text(data):
    return data.decode("utf-8", "replace")


def _check(state, cls, rules):
    """That a position agrees with itself."""
    again = cls.from_moves(state.moves, **rules) if state.moves else state
    assert again == state and hash(again) == hash(state) and pickle.loads(pickle.dumps(state)) == state
    drawn = cls.from_string(str(state), **rules)
    assert drawn.diagram() == state.diagram() and drawn.winner() == state.winner() and drawn.to_move == state.to_move
    assert drawn.legal_moves() == state.legal_moves()
    assert (state.winner() is None) == bool(state.legal_moves())
    shorten(state)


# ---- positions -------------------------------------------------------------------------------------------------------

def moves(data):
    """from_moves of a text. The first byte chooses the board, the second the number of the first move."""
    if len(data) < 2:
        return
    cls, rules = BOARDS[data[0] % len(BOARDS)]
    try:
        state = cls.from_moves(_text(data[2:]), base=data[1] & 1, **rules)
    except REFUSED:
        return
    _check(state, cls, rules)


MOST_VALUES = 8
"""Of one input: more of them find nothing that fewer do not."""


def objects(data):
    """Constructors, from_moves, from_string and play with whatever JSON can say."""
    try:
        board, *values = json.loads(_text(data))
        cls, rules = BOARDS[board % len(BOARDS)]
    except (ValueError, TypeError, RecursionError):
        return
    for value in values[:MOST_VALUES]:
        names = [name for name in inspect.signature(cls.from_moves).parameters if name != "moves"]
        named = {name: value[name] for name in names if name in value} if isinstance(value, dict) else {}
        for function, arguments, options in (
            (cls.from_moves, (value,), rules), (cls.from_string, (value,), rules), (cls(**rules).play, (value,), {}),
            (cls.from_moves, ("",), named), (cls, (), {name: named[name] for name in named if name != "base"}),
        ):
            try:
                function(*arguments, **options)
            except REFUSED:
                pass


def diagram(data):
    """from_string. The first byte chooses the board."""
    if not data:
        return
    cls, rules = BOARDS[data[0] % len(BOARDS)]
    try:
        state = cls.from_string(_text(data[1:]), **rules)
    except REFUSED:
        return
    _check(state, cls, rules)


def notation(data):
    """The command line's names of games, and its moves: two lines."""
    name, _, text = _text(data).partition("\n")
    if ":" in name and name.partition(":")[0].strip().lower() not in ("connect4", "gomoku", "mnk", "tictactoe"):
        return  # a module to be imported
    try:
        game = parse_game(name)
        state = game.play_text(text)
        words = [state.name(move) for move in state.moves]
        assert game.play_text(" ".join(words)).moves == state.moves
        rules = {name: getattr(state, name) for name in state._arguments}
        assert type(state).from_string(str(state), **rules) == state
        game.board(state)
    except REFUSED:
        return
    for move in state.legal_moves():
        assert state.move(state.name(move)) == move and state.play(state.name(move)) == state.play(move)


# ---- protocols -------------------------------------------------------------------------------------------------------

def gomocup(data):
    """Lines from a Gomocup manager."""
    written = io.BytesIO()
    lines = Lines(io.BytesIO(data), written)
    serve(Gomocup(lines, iterations=3, seed=1, memory_mb=4), lines)
    for line in written.getvalue().decode().splitlines():
        known = ("OK", "ERROR ", "UNKNOWN ", "MESSAGE ", "DEBUG ", 'name="mcts_core"')
        assert line.startswith(known) or all(part.isdigit() for part in line.split(",")), line


def ugi(data):
    """Lines from a UGI program; the first byte chooses the game. What would think without a limit is left out."""
    if not data:
        return
    game = parse_game(("connect4", "tictactoe", "gomoku:9", "mnk:5,4,4")[data[0] % 4])
    written = io.BytesIO()
    lines = Lines(io.BytesIO(data[1:].replace(b"infinite", b"")), written)
    engine = UGI(lines, Notation(game.start), iterations=3, seed=1, memory_mb=4)
    serve(engine, lines)
    for line in written.getvalue().decode().splitlines():
        assert line.split(" ")[0] in (
            "id", "option", "ugiok", "readyok", "bestmove", "info", "response", "error", "unknown"), line


# ---- options ---------------------------------------------------------------------------------------------------------

OPTIONS = [name for name in inspect.signature(mc.Searcher).parameters if name not in ("evaluator", "policy_value")]
SECONDS = 0.002
"""The longest time limit."""
OF_OPTIONS = [*BOARDS[:8], (mc.Gomoku, {"size": 9}), (mc.Gomoku, {"size": 10, "rule": "exact"})]
"""The figures of a search are a list of all moves: with 400 of them it takes longer than the search."""
MOST = {"threads": 3, "memory_mb": 16, "rollouts_per_leaf": 8, "exchange_every": 2**30}


def options(data):
    """Options of a Searcher and a budget, as JSON: [board, options, seconds, iterations]."""
    try:
        board, given, seconds, iterations = json.loads(_text(data))
        cls, rules = OF_OPTIONS[board % len(OF_OPTIONS)]
        named = {name: given[name] for name in OPTIONS if name in given}
    except (ValueError, TypeError, RecursionError):
        return
    for name, most in MOST.items():  # what would take long is not what is looked for
        if isinstance(named.get(name), (int, float)) and named[name] > most:
            named[name] = most
    if isinstance(iterations, (int, float)) and iterations > 20:
        iterations = 20
    if iterations is None or isinstance(seconds, (int, float)) and seconds > SECONDS:
        seconds = SECONDS
    try:
        engine = mc.Searcher(**named)
        move = engine.search(cls(**rules), seconds, iterations=iterations)
    except REFUSED:
        return
    assert move in cls(**rules).legal_moves()
    found = engine.stats()
    assert found.move == move and 0.0 <= found.value <= 1.0
    json.dumps(found.to_dict(), allow_nan=False)
    repr(engine)
    probe.check_tree(engine)


# ---- networks --------------------------------------------------------------------------------------------------------

SEARCHED = 64
"""Of so many networks that are accepted, one is searched: its table of 66,430 patterns takes 0.1 s with sanitizers."""


def network(data):
    """The file of a network. After a byte 1: a small one (8 inner numbers) with changes, pairs of a place and a byte,
    and its checksum made right again."""
    if data[:1] == b"\x01":
        file = bytearray(_small_network())
        for place, byte in struct.iter_unpack("<IB", data[1:1 + (len(data) - 1) // 5 * 5]):
            file[place % (len(file) - 4)] = byte
        file[-4:] = zlib.crc32(file[:-4]).to_bytes(4, "little")
        data = bytes(file)
    try:
        read = Network(data)
    except mc.InvalidFile:
        return
    assert Network(read.source) == read
    if zlib.crc32(data) % SEARCHED:  # by the whole input, so that a finding can be repeated
        return
    engine = mc.Searcher(network=read, seed=1, memory_mb=4)
    engine.search(mc.Gomoku.from_moves([40, 31], size=9), iterations=8)
    assert 0.0 <= engine.stats().value <= 1.0
    probe.check_tree(engine)


@functools.cache
def _small_network():
    return made_up(1)


# ---- files and messages ----------------------------------------------------------------------------------------------

@functools.cache
def _bases():
    """Saved Searchers of every kind of tree: the position, header, trees, and what a pickle has besides."""
    found = []
    states = [*saved_files.GAMES, Comparable(9)]
    kinds = [*saved_files.OPTIONS, *saved_files.THREADS]
    for number, kind in enumerate(kinds * 2):
        state = states[number * 5 % len(states)]
        if isinstance(state, Comparable):
            kind = {name: kind[name] for name in ("preset", "rollouts_per_leaf") if name in kind}
        engine = mc.Searcher(seed=number, memory_mb=4, **kind)
        engine.search(state, iterations=(5, 40, 300)[number % 3] if "threads" not in kind else 1100)
        _, blob, given, names = engine.__reduce__()[1]
        found.append((state, *take_apart(blob), given, names))
    return found


SMALL = 3000
"""Bytes of a saved tree that is restored thousands of times a second."""
VALUES = [
    None, 0, 1, -1, 2, 64, 2**31, 2**32 - 1, 2**63, 2**64, 10**400, 1e308, -0.5, 0.5, "", "x", [], {}, True, False,
]


def _edit_words(trees, data):
    for at, mask in struct.iter_unpack("<II", data[:len(data) // 8 * 8]):
        if len(trees) >= 4:
            place = at % (len(trees) // 4) * 4
            word, = struct.unpack_from("<I", trees, place)
            struct.pack_into("<I", trees, place, word ^ mask)


def _edit_header(header, data, paths=None):
    """``paths``: those of the header before any change, which are not looked for again after each."""
    for place, value in struct.iter_unpack("<HH", data[:len(data) // 4 * 4]):
        known = paths or list(saved_files.places(header))
        *path, last = known[place % len(known)]
        at = header
        try:
            for key in path:
                at = at[key]
            old = at[last]
        except (IndexError, KeyError, TypeError):
            continue  # within what an earlier change has replaced
        if not isinstance(at, dict | list):
            continue
        if value < 2 * len(VALUES) or not isinstance(old, int):
            at[last] = VALUES[value % len(VALUES)]
        else:
            at[last] += (value >> 8) - 128


def saved(data):
    """A saved Searcher with changes but right checksums: the first byte chooses it, the second what is changed."""
    if len(data) < 2:
        return
    state, header, trees, given, names = _bases()[data[0] % len(_bases())]
    header, trees, rest = json.loads(json.dumps(header)), bytearray(trees), data[2:]
    kind = data[1] % 5
    if kind == 0:
        _edit_words(trees, rest)
        blob = put_together(header, trees)
    elif kind == 1:
        _edit_header(header, rest)
        blob = put_together(header, trees)
    elif kind == 2:
        blob = put_together(rest, trees)
    elif kind == 3:
        blob = rest
    else:
        _edit_words(trees, rest[1:])
        blob = put_together(header, trees)
        names = (names or []) + [3, 4] if rest[:1] == b"+" else (names or [])[:-1]
    try:
        loaded = storage._rebuild(mc.Searcher, blob, given, names)
    except (mc.InvalidFile, mc.InvalidOption):
        return
    _use(loaded, state)


@functools.cache
def _restorable():
    """Of each small saved Searcher what ``storage._build`` makes of its header: a Searcher, and what is restored."""
    found = []
    for state, header, trees, given, names in _bases():
        if len(trees) <= SMALL:
            engine = storage._rebuild(mc.Searcher, put_together(header, trees), given, names)
            settings = storage._settings(engine, state, storage._read_options(header["resolved"]))
            record = header["search"]
            found.append((engine, state, names, settings, marshal.dumps(record), [*saved_files.places(record)], trees))
    return found


def trees(data):
    """The search and the trees of a saved Searcher with changes, as storage._build hands them on: thousands a second,
    and a hundred of ``saved``, which reads whole files and searches. The first byte chooses the Searcher, the second
    whether numbers of the search or words of the trees are changed."""
    if len(data) < 2:
        return
    engine, state, names, settings, copy, paths, whole = _restorable()[data[0] % len(_restorable())]
    record, changed = marshal.loads(copy), bytearray(whole)
    if data[1] & 1:
        _edit_header(record, data[2:], paths)
    else:
        _edit_words(changed, data[2:])
    file = io.BytesIO(changed)
    try:
        if tree_storage.size_of(record) != len(changed):
            return
        tree_storage.restore(engine._core, state, names, settings, record,
                             lambda views: [file.readinto(view) for view in views])
    except mc.InvalidFile:
        return
    probe.check_tree(engine, whole=True)


def _use(loaded, state):
    """Goes on with a search."""
    if loaded._core.figures() is not None:
        json.dumps(loaded.stats().to_dict(), allow_nan=False)
        str(loaded.stats())
        loaded.tree(max_depth=4, min_share=0)
        probe.check_tree(loaded, whole=True)
    without_seed(loaded)  # so that the same position goes on, too
    for _ in range(2):
        try:
            move = loaded.search(state, iterations=30)
        except mc.InvalidOption:  # of the changed options
            break
        except mc.GameError:  # the moves of a game in Python are compared with those of the tree when it plays them
            if isinstance(state, mc.ConnectFour | mc.MNK):
                raise
            break
        probe.check_tree(loaded)
        state = state.play(move)
        if state.winner() is not None:
            break
    pickle.loads(pickle.dumps(loaded))


@functools.cache
def _messages():
    """What searches tell each other: position, options, message."""
    found = []
    for number, (state, kind) in enumerate([
        (mc.ConnectFour(), {"preset": "uct"}), (mc.ConnectFour(4, 5, 3), {}), (mc.Gomoku(9), {"preset": "uct"}),
        (mc.Gomoku(), {}), (mc.TicTacToe(), {"solver": False, "selection": "grave"}),
    ]):
        engine = mc.Searcher(seed=number, memory_mb=4, **kind)
        engine.search(state, iterations=300)
        found.append((state, kind, engine._core.tell(2)))
    return found


def messages(data):
    """What a worker of a parallel search tells: the first byte chooses a message, the second how it is changed."""
    if len(data) < 2:
        return
    state, kind, told = _messages()[data[0] % len(_messages())]
    if data[1] & 1:
        told = data[2:]
    else:
        changed = bytearray(told)
        _edit_words(changed, data[2:])
        told = bytes(changed)
    engine = mc.Searcher(seed=1, memory_mb=4, **kind)
    engine.search(state, iterations=100)
    before = saved_files.saved(engine)
    try:
        engine._core.hear(told)
    except ValueError:
        assert saved_files.saved(engine) == before
    probe.check_tree(engine)
    assert engine.stats().move in state.legal_moves()
    without_seed(engine)  # so that the same position goes on
    engine.search(state, iterations=100)
    probe.check_tree(engine)


# ---- users' functions ------------------------------------------------------------------------------------------------

ODD = [None, float("nan"), float("inf"), 1e308, -1e100, 10**400, True, "x", "0.5", b"", [], [0.5], (0.5, 0.5), {},
       {0: 1}, {1}, object(), 1j, -0.0, 2.0, -1.0000001, 1e39, 3.4e38, 5e-324, [None], [[0.5]], ["a", "b"], range(3)]
HELD = (mc.GameError, mc.EvaluatorError, mc.InvalidState, mc.GameOver, mc.InvalidOption)
FUNCTIONS = [
    {}, {"policy_value": True}, {"policy_value": True, "batch": 8}, {"policy_value": True, "root_policy": "gumbel"},
    {"final_move": "best_line"}, {"rollout_moves": 3}, {"policy_value": True, "noise_alpha": 1.0, "temperature": 1.0},
    {"policy_value": True, "fpu": 0.2, "memory_mb": 1}, {"rollouts_per_leaf": 2, "fpu": 0.5},
    {"nested_rollouts": 3}, {"nested_rollouts": 20, "rollout_moves": 3},
]


class Given:
    """Return values made from bytes. Without bytes left, they are the valid ones."""

    def __init__(self, data):
        self.bytes = io.BytesIO(data)

    def thing(self, plain):
        kind = self.bytes.read(1)
        if not kind or kind[0] < 128:
            return plain
        if kind[0] < 160:
            return struct.unpack("<d", self.bytes.read(8).ljust(8, b"\0"))[0]
        thing = ODD[kind[0] % len(ODD)]
        return [thing, *plain[1:]] if isinstance(plain, list) and plain and kind[0] & 1 else thing


class Made:
    """A general game of five moves whose members return what the bytes say."""

    def __init__(self, given, shape, moves=()):
        self.given, self.shape, self.moves = given, shape, moves
        self.players, self.scored = 1 + shape % 3, shape & 4
        self.to_move = given.thing(mc.CHANCE if shape & 8 and len(moves) % 3 == 1 else len(moves) % self.players)
        if self.scored:
            self.discount, self.rewards = 0.9, lambda: given.thing([1.0, -20.0, 300.0][:self.players])

    def legal_moves(self):
        return self.given.thing([0, 1, 2])

    def chance_outcomes(self):
        return self.given.thing([(0, 0.5), (1, 0.5)])

    def play(self, move):
        return self.given.thing(Made(self.given, self.shape, (*self.moves, move)))

    def returns(self):
        over = len(self.moves) >= 5
        return self.given.thing([0.25, 0.75, 1.0][:self.players] if over else None)


def functions(data):
    """What the members of a user's game and an evaluator return: the first byte chooses the game, the second the
    options, the others what is returned."""
    if len(data) < 2:
        return
    given = Given(b"")
    options = dict(FUNCTIONS[data[1] % len(FUNCTIONS)])
    by_line = "final_move" in options or "nested_rollouts" in options
    state = Made(given, data[0] & ~8 if by_line else data[0])  # best lines need a game without chance
    plain = [0.5, -7.0, 100.0][:state.players] if state.scored else [0.5, -0.5, 1.0][:state.players]
    if options.pop("policy_value", False):
        options["policy_value"] = lambda state: given.thing(
            [given.thing([3.0, 1.0, 2.0]), given.thing(plain if len(plain) > 1 else plain[0])])
    engine = mc.Searcher(seed=data[1], **options)
    given.bytes = io.BytesIO(data[2:])
    for _ in range(2):  # the second time, the tree of the first one may go on
        try:
            engine.search(state, iterations=40)
        except HELD:
            if given.bytes.tell() == 0:  # the game refuses these options before any byte is read
                return
        else:
            json.dumps(engine.stats().to_dict(), allow_nan=False, default=str)
        probe.check_tree(engine)
    given.bytes = io.BytesIO(b"")
    try:
        engine.search(state, iterations=40)
    except mc.InvalidOption:
        return
    assert engine.stats().move in (0, 1, 2)
    probe.check_tree(engine)


# ---- inputs to begin with --------------------------------------------------------------------------------------------

def _numbers(*pairs):
    return b"".join(struct.pack("<II", *pair) for pair in pairs)


SEEDS = {
    moves: [bytes([board, base]) + text for board in range(len(BOARDS)) for base in (0, 1)
            for text in (b"", b"4455", b"0 1 2 3", b"0,1;2,3", b"112 97", b"0" * 9, b"-1 +2", "٣ ½".encode())],
    objects: [b"[0, 3, [3, 3], \"44\", {\"rows\": 9, \"cols\": 1e400}]", b"[8, [112, 97], {\"size\": 4}, null, true]",
              b"[5, {\"m\": 33}, {\"k\": 0}, {\"rule\": \"exact\"}, [0, [1]], -1, 1.5, \"a1\"]"],
    diagram: [bytes([number]) + str(cls(**rules)).encode() for number, (cls, rules) in enumerate(BOARDS)]
    + [b"\x04X O X\n. X .\n. . O", b"\x04XOX/.X./..O", b"\x01XXX..\nOO...\n.....\n.....", b"\x00\xff\x00x"],
    notation: [b"connect4\n4455", b"connect4:9x8x5\n1 2 3", b"gomoku\nh8 h9 i7", b"gomoku:20:exact\na1b2",
               b"tictactoe\n04", b"mnk:8,7,5:exact\nA1,b2;c3", b"mnk:3,3,3\n012345678", b"gomoku:\n",
               b"connect4:0x0x0\n"],
    gomocup: [b"START 15\nBEGIN\nTURN 3,4\nTAKEBACK 3,4\nEND\n",
              b"RECTSTART 20,15\nINFO rule 1\nINFO timeout_turn 100\nBOARD\n1,1,1\n2,2,2\nDONE\nYXSTOP\n",
              b"INFO max_memory 83886080\nINFO thread_num 2\nINFO time_left 0\nSTART 5\nRESTART\nPLAY 0,0\n",
              b"START 5\nSWAP2BOARD\n1,1,1\nDONE\nBEGIN\n",
              b"ABOUT\nSTART 33\nTURN 0,0\nFOO\nINFO max_node 2\n"],
    ugi: [b"\x00ugi\nisready\nuginewgame\nposition startpos moves 4 4\ngo nodes 2\nquery result\nquit\n",
          b"\x01position fen 3/1x1/2o x moves a1\ngo movetime 1\nquery p1turn\nquery gameover\n",
          b"\x02setoption name seed value 3\nsetoption name selection value rave\ngo p1time 100 p1inc 1\nstop\n",
          b"\x03position startpos moves a1 b2 #0\ngo movestogo 3\nposition fen ////\nsetoption name x value\n"],
    options: [json.dumps([number, case, 0.001, 10]).encode() for number, case in enumerate([
        {}, {"preset": "uct"}, {"selection": "rave", "rave_k": 3}, {"threads": 2, "exchange_every": 16},
        {"memory_mb": 1, "prune": False}, {"fpu": 0.5, "solver": False, "prior_weight": 1e6},
        {"rollout": "tactical", "expand_distance": 32, "symmetry": True},
        {"rollouts_per_leaf": 3, "expand_after": 2**30},
        {"seed": 2**64 - 1, "final_move": "max"}, {"leaf_proofs": 9, "root_proofs": 0, "stop_early": True},
        {"selection": "puct", "c_puct": 3}, {"valuation": 0.5, "least_prior": 1}, {"valuation": "rollout"},
        {"noise_alpha": 0.1, "noise_weight": 1, "valuation": "network"}, {"network": "none"},
        {"batch": 3}, {"exploration": -1}, {"grave_ref": None, "exploration": 1e400},
    ])],
    network: [b"MCTSLINE", b"\x00", b"\x01"]
    + [b"\x01" + struct.pack("<IB", place, byte) for place in (8, 12, 24, 32, 33, 1000, 5_900, 7_000, -5 % 2**32)
       for byte in (0, 127, 255)],
    saved: [bytes([base, 0]) + _numbers((place, 1 << base)) for base in range(20) for place in (0, 3, 17, 1000)]
    + [bytes([base, 1]) + struct.pack("<HHHH", 3 * base, base, 7 * base, 300 * base) for base in range(20)]
    + [b"\x00\x02{}", b"\x01\x02{\"options\": {}}", b"\x03\x03" + saved_files.MAGIC, b"\x0b\x04+", b"\x0b\x04"],
    trees: [bytes([base, 0]) + _numbers((place, 1 << base)) for base in range(12) for place in (0, 3, 17, 1000)]
    + [bytes([base, 1]) + struct.pack("<HHHH", 3 * base, base, 7 * base, 300 * base) for base in range(12)],
    messages: [bytes([number, 0]) + _numbers((place, 1 << place)) for number in range(5) for place in range(9)]
    + [bytes([number, 1]) + bytes(48) for number in range(5)],
    functions: [bytes([shape, kind]) + bytes(before) + bytes([odd]) for shape in range(16)
                for kind in range(len(FUNCTIONS)) for before, odd in ((kind, 0), (3 * shape + kind, 160 + 7 * kind))],
}
TARGETS = {function.__name__: function for function in SEEDS}
NATIVE = ("trees",)
"""Targets that run no Python of the package: its lines are not watched for them, which would make them slower."""
CORPUS = pathlib.Path(__file__).with_name("corpus.zip")
"""Inputs that a long run found, which reach more than the seeds do: ``fuzz.py --keep`` writes it."""


def inputs(name):
    """The seeds of a target, and what is kept of the corpus of a long run."""
    with zipfile.ZipFile(CORPUS) as file:
        return SEEDS[TARGETS[name]] + [file.read(entry) for entry in file.namelist() if entry.startswith(f"{name}/")]
