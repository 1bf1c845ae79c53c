"""Copies of gymnasium's environments: they leave the environment alone and do not foresee what it will draw."""

import collections
import copy
import itertools
import math

import pytest

import mcts_core as mc
from mcts_core.bots.gymnasium import Planner

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed; make test-clients installs it")
numpy = pytest.importorskip("numpy", reason="gymnasium needs numpy")

pytestmark = pytest.mark.clients

spaces = gymnasium.spaces


class Steps(gymnasium.Env):
    """Counts its steps up to ``length``; a kind of it says what an action does."""

    length, at = 5, 0

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(1000)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        self.begin(options or {})
        return self.at, {}

    def step(self, action):
        self.at += 1
        return self.at, float(self.act(action)), self.at >= self.length, False, {}

    def begin(self, options):
        pass

    def act(self, action):
        return 0.0


class Coin(Steps):
    """Guess a coin: nobody can do better than half."""

    length = 30

    def act(self, action):
        return self.np_random.integers(2) == action


class Sticky(Steps):
    """Its own space of actions draws, too."""

    length = 30

    def begin(self, options):
        self.action_space.seed(5)

    def act(self, action):
        return self.action_space.sample() == action


class StickyClass(Sticky):
    """The same with a space that belongs to the class."""

    action_space = spaces.Discrete(2)

    def __init__(self):
        self.observation_space = spaces.Dict({"at": spaces.Discrete(1000)})

    def reset(self, *, seed=None, options=None):
        at, info = super().reset(seed=seed, options=options)
        return {"at": at}, info

    def step(self, action):
        at, *others = super().step(action)
        return {"at": at}, *others


class Alias(Coin):
    """Another name for the same generator."""

    def begin(self, options):
        self.dice = {"coin": self.np_random}

    def act(self, action):
        return self.dice["coin"].integers(2) == action


class Kept(Coin):
    """The state of the generator is a part of its own."""

    def get_state(self):
        return self.at, self.np_random.bit_generator.state

    def set_state(self, state):
        self.at, self.np_random.bit_generator.state = state


class Handed(Kept):
    """Its state is the generator itself."""

    def get_state(self):
        return self.at, self.np_random

    def set_state(self, state):
        self.at, self._np_random = state


@pytest.mark.parametrize(("kind", "options"), [
    (Coin, {}), (Sticky, {}), (StickyClass, {}), (Alias, {}),
    (Kept, {"copies": "state"}), (Handed, {"copies": "state"}),
], ids=lambda given: getattr(given, "__name__", ""))
def test_chance_is_not_foreseen(kind, options):
    totals = [Planner(kind(), make=kind, iterations=30, method="sequences", seed=seed, **options).play(
        seed=100 + seed).total for seed in range(12)]
    assert 12.0 < sum(totals) / len(totals) < 18.0  # 15 of 30; 30 for those who know


@pytest.mark.parametrize("kind", [Coin, Sticky, StickyClass, Alias])
def test_planning_draws_nothing_from_the_environment(kind):
    def rest(plans):
        env = kind()
        observation, info = env.reset(seed=1)
        if plans:
            Planner(env, iterations=20, seed=1).search(observation, info)
        return [env.step(0)[1] for _ in range(29)]

    assert rest(True) == rest(False)


class Memory(Steps):
    """Pays for the last three actions, which it keeps under a name that gymnasium uses for pictures."""

    def begin(self, options):
        self.window = collections.deque([0, 0, 0], maxlen=3)
        self.P = numpy.array([10.0, 20.0])
        self.env = [0]

    def act(self, action):
        self.window.append(int(action))
        self.P *= 1.5
        self.env[0] += 1
        return sum(self.window)


def test_a_state_of_any_name_belongs_to_the_environment():
    env = Memory()
    observation, info = env.reset(seed=1)
    planner = Planner(env, iterations=50, seed=1)
    assert planner.search(observation, info) == 1
    assert list(env.window) == [0, 0, 0] and env.P.tolist() == [10.0, 20.0] and env.env == [0]
    assert planner.play(seed=1).total == 1 + 2 + 3 + 3 + 3


class Holder:
    """Cannot be copied, as pictures on a screen cannot."""

    def __deepcopy__(self, memo):
        raise TypeError("not this one")


def test_what_cannot_be_copied():
    env = Coin()
    observation, info = env.reset(seed=1)
    env.window = window = Holder()
    assert Planner(env, iterations=5, seed=1).search(observation, info) in (0, 1) and env.window is window
    env.engine = Holder()
    with pytest.raises(mc.InvalidState, match=r"not this one\): give copies='state' or copies='replay'"):
        Planner(env)


class Bonus(gymnasium.Wrapper):
    """Reaches around the wrappers below it, and knew the environment before it was one of them."""

    def __init__(self, env):
        self.base = env.unwrapped
        super().__init__(env)

    def step(self, action):
        self.base.gain = int(action)
        return self.env.step(action)


class Gain(Steps):
    gain = 0

    def act(self, action):
        return self.gain


class Closed(Gain):
    """Makes its copies itself."""

    def __deepcopy__(self, memo):
        made = type(self)()
        memo[id(self)] = made
        made.at, made.gain = self.at, self.gain
        return made


@pytest.mark.parametrize("kind", [Gain, Closed])
@pytest.mark.parametrize("between", [
    lambda env: env, gymnasium.wrappers.OrderEnforcing, gymnasium.wrappers.PassiveEnvChecker,
    lambda env: gymnasium.wrappers.TimeLimit(env, 100),
])
def test_a_wrapper_and_its_environment_are_copied_together(kind, between):
    assert Planner(Bonus(between(kind())), iterations=20, seed=1).play(seed=1).total == 5.0


class Recorder(gymnasium.wrappers.RecordVideo):
    """Counts the steps that would be recorded."""

    steps = 0

    def __init__(self, env):
        gymnasium.Wrapper.__init__(self, env)

    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        Recorder.steps += 1
        return self.env.step(action)


def test_what_copies_do_is_not_recorded():
    planner = Planner(Bonus(Recorder(Gain())), iterations=50, seed=1)
    assert planner.play(seed=1).total == 5.0 and Recorder.steps == 5


class Way(gymnasium.Env):
    """Each step costs 1 until the eighth to the right."""

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return 0, {}

    def step(self, action):
        self.at = max(0, self.at + (1 if action else -1))
        return self.at, -1.0, self.at >= 8, False, {}

    def get_state(self):
        return self.at

    def set_state(self, at):
        self.at = at


@pytest.mark.parametrize("copies", ["deepcopy", "state", "replay"])
@pytest.mark.parametrize("wrapped", [
    lambda: gymnasium.wrappers.TimeLimit(Way(), 20),
    lambda: gymnasium.wrappers.TransformReward(gymnasium.wrappers.TimeLimit(Way(), 20), lambda reward: reward),
])
def test_a_time_limit_is_lifted_wherever_it_is(copies, wrapped):
    env = wrapped()
    planner = Planner(env, iterations=300, copies=copies, make=wrapped, seed=1)
    planner.reset(seed=1)
    for _ in range(18):
        planner.step(0)
    assert planner.search() == 1 and planner.stats().value < -5.0
    assert not planner.step(1)[3] and planner.step(1)[3]  # the environment keeps its own


class Choice(Steps):
    """The options of reset say which action pays."""

    def begin(self, options):
        self.good = options.get("good", 0)

    def act(self, action):
        return action == self.good


@pytest.mark.parametrize("copies", ["deepcopy", "replay"])
@pytest.mark.parametrize("method", ["states", "line", "sequences"])
def test_the_options_of_reset_are_those_of_the_plan(copies, method):
    planner = Planner(Choice(), copies=copies, make=Choice, method=method, iterations=50, seed=1)
    planner.reset(seed=1, options={"good": 1})
    assert sum(planner.step(planner.search())[1] for _ in range(5)) == 5.0


def test_spaces_of_copies_are_made_once():
    class Many(Steps):
        def __init__(self):
            super().__init__()
            self.observation_space = spaces.Tuple([Counted(3), spaces.Dict({"b": Counted(4)})])

        def reset(self, **options):
            return (1, {"b": 2}), super().reset(**options)[1]

        def step(self, action):
            return (1, {"b": 2}), *super().step(action)[1:]

    class Counted(spaces.Discrete):
        copies = 0

        def __deepcopy__(self, memo):
            Counted.copies += 1
            return Counted(int(self.n))

    planner = Planner(Many(), iterations=20, method="sequences", seed=1)
    assert Counted.copies == 2
    planner.play(seed=1)
    assert Counted.copies == 2
    planner.env.observation_space = spaces.Tuple([Counted(3), spaces.Dict({"b": Counted(4)})])
    planner.play(seed=1)
    assert Counted.copies == 4


def test_a_copy_is_one_of_copy_deepcopy():
    """Each attribute, with what is the same object staying the same one."""
    env = Memory()
    env.reset(seed=1)
    env.twice = env.window, env.window
    env.loop = env
    for made in (Planner(env)._copier.save(None), copy.deepcopy(env)):
        assert made.window is made.twice[0] is made.twice[1] is not env.window and made.loop is made
        assert made.P is not env.P and made.at == env.at


@pytest.mark.parametrize("dtype", [numpy.int8, numpy.int32, numpy.uint8, numpy.float32, numpy.float64])
@pytest.mark.parametrize("options", [{"actions": 9, "widening": 0.5}, {"actions": 11}])
def test_actions_of_a_box_are_within_it(dtype, options):
    low = 0 if dtype == numpy.uint8 else -100
    for shape, high in itertools.product([(1,), (2,)], [100, 120]):
        space = spaces.Box(low, high, shape, dtype)
        env = Steps()
        env.action_space = space
        actions = Planner(env, seed=1, **options)._actions.values
        assert len(actions) == options["actions"] and all(map(space.contains, actions))
        assert any((action == space.high).any() for action in actions)
        spread = numpy.ptp(numpy.array(actions, float), axis=0) / (high - low)
        assert (spread > 0.7).all()


@pytest.mark.parametrize("discount", [0.9999, 0.999999, 1.0])
@pytest.mark.parametrize("method", ["states", "line"])
def test_a_plan_without_discount_does_not_go_round_in_circles(method, discount):
    class Goal(Way):
        def step(self, action):
            at, _, over, *others = super().step(action)
            return at, float(over), over, *others

    planner = Planner(Goal(), iterations=300, method=method, discount=discount, seed=1)
    assert planner.discount <= 0.9999
    assert planner.play(seed=1, most_steps=40).steps <= 16
    assert not math.isclose(planner.stats().value, 0.0)


def test_a_step_of_ones_own_is_no_step_of_the_plan():
    """The environment shows nothing, and pays for the first action again."""
    class Blind(Steps):
        def begin(self, options):
            self.first = None

        def act(self, action):
            if self.first is None:
                self.first = action
            return action == self.first

        def step(self, action):
            return 0, *super().step(action)[1:]

    for other in (False, True):
        planner = Planner(Blind(), method="line", iterations=60, seed=1)
        planner.reset(seed=1)
        first = planner.search()
        planner.step(1 - first if other else first)
        assert sum(planner.step(planner.search())[1] for _ in range(4)) == 4.0
