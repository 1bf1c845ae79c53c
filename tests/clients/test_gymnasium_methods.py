"""The method that a Planner chooses by itself, and the environments that it must solve so: make test KIND=clients."""

import copy
import sys
import time
from pathlib import Path

import pytest

import mcts_core as mc
from mcts_core.bots.gymnasium import Planner

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed; make test KIND=clients installs it")
numpy = pytest.importorskip("numpy", reason="gymnasium needs numpy")

pytestmark = pytest.mark.clients

FIGURES = Path(__file__).resolve().parents[2] / "docs" / "figures"
sys.path.insert(0, str(FIGURES))

import gymnasium_goals  # noqa: E402

sys.path.remove(str(FIGURES))


class Room(gymnasium.Env):
    """Nine squares in a row, from the middle; the right end is the goal. ``show`` makes the observation."""

    action_space = gymnasium.spaces.Discrete(3)
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (1,))

    def __init__(self, show, slips=0.0):
        self.show, self.slips = show, slips

    def _seen(self):
        return self.show(self)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.step_number = 4, 0
        return self._seen(), {}

    def step(self, action):
        self.step_number += 1
        if self.np_random.random() < self.slips:
            action = 1
        self.at = max(0, self.at + action - 1)
        done = self.at == 8
        return self._seen(), (1.0 - 0.001 * self.step_number) * done, done, False, {}


def box(*numbers):
    return numpy.array(numbers, numpy.float32)


def chosen(env, **options):
    """The Planner after its first search."""
    planner = Planner(env, **{"iterations": 1, "seed": 1, **options})
    planner.search(*env.reset(seed=1))
    return planner


class Wrapped:
    """What a tensor is: an array by ``__array__``, which is equal to itself alone."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return numpy.array(self.array, dtype)


SHOWN = {
    "float32": lambda room: box(room.at),
    "a zero of either sign": lambda room: box(*([-0.0, 0.0][(room.step_number + n) % 2] if n != room.at else 1.0
                                                for n in range(9))),
    "dict": lambda room: {"at": box(room.at), "text": "to the right", "parts": (room.at, [room.at])},
    "objects": lambda room: numpy.array([room.at, str(room.at)], object),
    "tensor": lambda room: Wrapped(box(room.at)),
    "set": lambda room: {room.at, "room"},
    "number": lambda room: numpy.float64(room.at),
}


@pytest.mark.parametrize("slips", [0.0, 0.3])
@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN.keys())
def test_equal_observations_are_the_same_state(show, slips):
    planner = chosen(Room(show, slips))
    assert planner.method == "states" and "method='states'" in repr(planner)
    assert Planner(planner.env).method is None and "the first search chooses" in repr(Planner(planner.env))


NOT_SHOWN = {
    "the step is shown": lambda room: box(room.at, room.step_number),
    "the square is not shown": lambda room: box(0.0),
    "half of the square is shown": lambda room: box(room.at % 2),
    "a number that cannot be looked up": lambda room: Wrapped(bytearray(room.at)).array,
}


@pytest.mark.parametrize("slips", [0.0, 0.3])
@pytest.mark.parametrize("show", NOT_SHOWN.values(), ids=NOT_SHOWN.keys())
def test_observations_that_name_no_states_are_not_relied_on(show, slips):
    for seed in range(4):
        planner = chosen(Room(show, slips), seed=seed)
        assert planner.method == "sequences" and "method='sequences'" in repr(planner)


def test_a_key_says_which_observations_are_the_same():
    def show(room):
        return box(room.at, room.step_number)

    assert chosen(Room(show)).method == "sequences"
    assert chosen(Room(show), key=lambda seen: int(seen[0])).method == "states"
    assert chosen(Room(show), key=lambda seen: int(seen[0]) % 2).method == "sequences"
    assert chosen(Room(show), key=lambda seen: [seen]).method == "sequences"  # no value that can be looked up


def test_what_is_hidden_is_noticed_by_what_follows():
    """The key on square 3 opens a door before the goal; an observation tells of it, or does not."""
    class Door(Room):
        key = False

        def step(self, action):
            if self.at == 5 and not self.key:
                action = min(action, 1)
            self.key = self.key or self.at + action - 1 == 3
            return super().step(action)

    for show, method in ((lambda room: box(room.at, room.key), "states"), (SHOWN["float32"], "sequences")):
        assert [chosen(Door(show), seed=seed).method for seed in range(4)] == [method] * 4


@pytest.mark.parametrize("copies", ["deepcopy", "replay", "state"])
def test_every_kind_of_copies_can_be_looked_at(copies):
    class Kept(Room):
        def get_state(self):
            return self.at, self.step_number

        def set_state(self, state):
            self.at, self.step_number = state

    def make():
        return Kept(SHOWN["float32"])

    planner = Planner(make(), copies=copies, make=make, iterations=20, horizon=20, seed=1)
    assert planner.play(seed=1).total > 0.9 and planner.method == "states"


def test_the_environment_itself_is_left_alone_while_the_method_is_chosen():
    env = Room(SHOWN["float32"])
    env.reset(seed=1)
    before = copy.deepcopy((env.at, env.step_number, env.np_random.bit_generator.state))
    Planner(env, iterations=1, seed=1).search(box(4.0))
    assert (env.at, env.step_number, env.np_random.bit_generator.state) == before


def test_the_choice_repeats_and_so_do_the_searches_after_it():
    found = []
    for _ in range(2):
        planner = Planner(Room(SHOWN["float32"], 0.2), iterations=30, seed=3)
        planner.reset(seed=1)
        found.append([(planner.search(), planner.stats().seed, planner.stats().moves) for _ in range(3)])
    assert found[0] == found[1] and found[0][0][1] == 3 and len({seed for _, seed, _ in found[0]}) == 3
    planner = Planner(Room(SHOWN["float32"]), iterations=30)
    planner.reset(seed=1)
    planner.search()
    first = planner.stats().visits
    planner.search()  # without a seed, a search of the same state goes on with the tree
    assert first == 30 and planner.stats().visits == 60


def test_an_interrupt_leaves_the_choice_to_the_next_search():
    calls = []

    class Interrupted(Room):
        def step(self, action):
            calls.append(action)
            if len(calls) == 50:
                raise KeyboardInterrupt
            return super().step(action)

    planner = Planner(Interrupted(SHOWN["float32"]), iterations=30, seed=1)
    planner.reset(seed=1)
    with pytest.raises(KeyboardInterrupt):
        planner.search()
    assert planner.method is None
    planner.search()
    assert planner.method == "states"


def test_an_error_is_reported_by_the_search():
    class Failing(Room):
        def step(self, action):
            raise ArithmeticError("no step")

    planner = Planner(Failing(SHOWN["float32"]), iterations=30, seed=1)
    planner.reset(seed=1)
    with pytest.raises(mc.GameError, match="no step"):
        planner.search()
    assert planner.method == "sequences"


def test_a_planner_that_has_not_chosen_yet_can_be_copied():
    class Slow(Room):
        def step(self, action):
            time.sleep(0.0005)
            return super().step(action)

    planner = Planner(Slow(SHOWN["float32"]), seconds=0.02, horizon=10, seed=1)
    planner.reset(seed=1)
    planner.search()
    assert planner.method == "sequences"
    other = copy.deepcopy(planner)
    assert other.search() in range(3) and planner.search() in range(3)


@pytest.mark.alone
def test_a_time_limit_is_kept_while_the_method_is_chosen():
    """The walks take longer than one search may: the first ones use "sequences" until the choice is made."""
    class Slow(Room):
        def step(self, action):
            time.sleep(0.0002)
            return super().step(action)

    planner = Planner(Slow(SHOWN["float32"]), seconds=0.1, horizon=10, seed=1)
    planner.reset(seed=1)
    methods = []
    for _ in range(60):
        begin = time.perf_counter()
        planner.search()
        assert time.perf_counter() - begin < 0.4
        methods.append(planner.method)
        if methods[-1] == "states":
            break
    assert methods[0] == "sequences" and methods[-1] == "states"


# ---- environments of others ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["lake", "cliff", "grid5", "grid6"])
def test_the_default_method_reaches_the_goal(name):
    """Within the time limit, for each of 8 seeds."""
    if name.startswith("grid"):
        pytest.importorskip("minigrid", reason="minigrid is not installed; make test KIND=clients installs it")
    task = gymnasium_goals.TASKS[name]
    for seed in range(8):
        env = task.make()
        planner = Planner(env, seed=seed, **task.options)
        (seen, info), over, steps = env.reset(seed=seed), False, 0
        while not over and steps < 100:
            seen, _, over, _, info = env.step(planner.search(seen, info))
            steps += 1
        assert over and planner.method == "states", seed
