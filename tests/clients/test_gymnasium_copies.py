"""Copies of gymnasium's environments: they leave the environment alone and do not foresee what it will draw."""

import collections
import copy
import itertools
import math

import pytest

import mcts_core as mc
from mcts_core.bots.gymnasium import Planner

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed; make test KIND=clients installs it")
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


def test_what_copies_do_is_not_recorded(monkeypatch):
    recorded = []

    def step(self, action):
        recorded.append(action)
        return self.env.step(action)

    recorder = gymnasium.wrappers.RecordVideo
    monkeypatch.setattr(recorder, "__init__", gymnasium.Wrapper.__init__)  # its own needs a program for films
    monkeypatch.setattr(recorder, "reset", gymnasium.Wrapper.reset)
    monkeypatch.setattr(recorder, "step", step)
    planner = Planner(Bonus(recorder(Gain())), iterations=50, seed=1)
    assert planner.play(seed=1).total == 5.0 and recorded == [1] * 5


class Checked(gymnasium.wrappers.OrderEnforcing):
    """A kind of the user's own: it does more than to check."""

    def step(self, action):
        seen, _, *others = super().step(action)
        return seen, float(action == 0), *others


class Limited(gymnasium.wrappers.TimeLimit):
    def step(self, action):
        seen, _, *others = super().step(action)
        return seen, float(action == 0), *others


@pytest.mark.parametrize("wrapped", [
    lambda: Checked(Steps()), lambda: Limited(Steps(), 100), lambda: Bonus(Checked(Gain())),
    lambda: gymnasium.wrappers.TimeLimit(Limited(Steps(), 100), 50),
])
def test_wrappers_of_the_users_own_are_kept(wrapped):
    assert Planner(wrapped(), iterations=50, seed=1).play(seed=1).total == 5.0


class Independent(Steps):
    """0 pays 0.6, and 1 pays 1 with a probability of one half; its copies have their own sources of chance."""

    length = 6

    def __deepcopy__(self, memo):
        made = type(self)()
        made.at, made.np_random = self.at, copy.deepcopy(self.np_random)
        return made

    def act(self, action):
        return 0.6 if action == 0 else self.np_random.random() < 0.5


def test_copies_of_the_environments_own_draw_as_others_do():
    found = [Planner(Independent(), iterations=400, seed=seed) for seed in (1, 1, 2, 3)]
    for planner in found:
        planner.reset(seed=5)
        assert planner.search() == 0
    assert found[0].stats().moves == found[1].stats().moves


class Store(Steps):
    """Each 0 pays what is left in a space that becomes smaller."""

    def begin(self, options):
        self.left = spaces.Discrete(10)

    def act(self, action):
        self.left.n -= 1
        return self.left.n if action == 0 else 0


class Odd(spaces.Discrete):
    """Knows its environment: at every other step, the other action."""

    def __init__(self, env):
        super().__init__(2)
        self.env = env

    def contains(self, x):
        return int(x) == self.env.at % 2


class Owner(Steps):
    def __init__(self):
        super().__init__()
        self.action_space = Odd(self)

    def step(self, action):
        gain = 1.0 if self.action_space.contains(action) else -1.0
        return self.at + 1, gain, *super().step(action)[2:]


def test_spaces_that_change_or_know_their_environment():
    planner = Planner(Store(), iterations=200, seed=1)
    assert planner.play(seed=1).total == 9 + 8 + 7 + 6 + 5
    for method in ("states", "line"):
        assert Planner(Owner(), method=method, iterations=200, seed=1).play(seed=1).total == 5.0


class Melting(gymnasium.Wrapper):
    """A square that was left becomes a hole, in the table of the environment itself."""

    def step(self, action):
        table, left = self.unwrapped.P, self.unwrapped.s
        for actions in table.values():
            for way, outcomes in actions.items():
                actions[way] = [(chance, state, reward, over or state == left)
                                for chance, state, reward, over in outcomes]
        return self.env.step(action)


def test_a_wrapper_may_change_the_tables_of_gymnasium():
    env = Melting(gymnasium.make("FrozenLake-v1", is_slippery=False))
    observation, info = env.reset(seed=1)
    before = copy.deepcopy(env.unwrapped.P)
    planner = Planner(env, iterations=300, seed=1)
    planner.search(observation, info)
    assert env.unwrapped.P == before
    plain = gymnasium.make("FrozenLake-v1")
    plain.reset(seed=1)
    assert Planner(plain)._copier.save(None).P is plain.unwrapped.P


def test_an_environment_that_is_its_own():
    env = Coin()
    env.env = env
    env.reset(seed=1)
    made = Planner(env)._copier.save(None)
    assert made.env is made is not env


class Slotted(Steps):
    __slots__ = ("sum",)

    def begin(self, options):
        self.sum = 0

    def act(self, action):
        self.sum += int(action)
        return self.sum


def test_slots_are_copied():
    assert Planner(Slotted(), iterations=100, seed=1).play(seed=1).total == 15.0


class Way(Steps):
    """Each step costs 1 until the eighth to the right."""

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


def test_what_an_environment_does_to_its_arguments():
    class Greedy(Choice):
        def begin(self, options):
            self.good = options.pop("good")

    for copies in ("deepcopy", "replay"):
        planner = Planner(Greedy(), copies=copies, make=Greedy, iterations=50, seed=1)
        planner.reset(seed=1, options={"good": 1})
        assert sum(planner.step(planner.search())[1] for _ in range(5)) == 5.0

    class Halving(Steps):
        def __init__(self):
            super().__init__()
            self.action_space = spaces.Box(-1.0, 1.0, (1,))

        def act(self, action):
            gain = -abs(float(action[0]) - 0.5)
            action *= 0.5
            return gain

    planner = Planner(Halving(), make=Halving, actions=9, iterations=200, method="sequences", seed=1)
    episode = planner.play(seed=1)
    assert episode.total > -1.0 and all(4 * action[0] in range(-4, 5) for action in episode.actions)
    replayed = Planner(Halving(), copies="replay", make=Halving, iterations=5, seed=1)
    replayed.reset(seed=1)
    given = numpy.array([0.5], numpy.float32)
    replayed.step(given)
    given[:] = 9
    assert replayed._copier.save(replayed)[-1][0].tolist() == [0.5]


def test_a_simulator_begins_no_episode_of_its_own():
    class Short(Way):
        def step(self, action):
            return *super().step(action)[:2], self.at >= 2, False, {}

    def make():
        return gymnasium.wrappers.TransformReward(gymnasium.wrappers.Autoreset(Short()), lambda reward: reward)

    values = []
    for copies in ("deepcopy", "state"):
        planner = Planner(make(), copies=copies, make=make, iterations=60, seed=1)
        planner.reset(seed=1)
        planner.search()
        values.append([entry.value for entry in sorted(planner.stats().moves, key=lambda entry: entry.move)])
    assert values[0] == pytest.approx(values[1], abs=0.1)


@pytest.mark.parametrize("searches", [1, 2, 3])
def test_a_line_goes_on_after_exactly_one_step(searches):
    pays = [1, 0, 0, 1, 1]

    class Hidden(Steps):
        """Shows nothing; each step pays for another action."""

        def act(self, action):
            return action == pays[self.at - 1]

        def step(self, action):
            return 0, *super().step(action)[1:]

    planner = Planner(Hidden(), method="line", iterations=200, seed=1)
    planner.reset(seed=1)
    total = 0.0
    for _ in pays:
        for _ in range(searches):
            action = planner.search()
        total += planner.step(action)[1]
    assert total == 5.0
    planner.reset(seed=1)
    planner.search()
    planner.step(1)
    planner.step(0)
    assert sum(planner.step(planner.search())[1] for _ in range(3)) == 3.0


def test_spaces_of_copies_are_made_once():
    env = Steps()
    env.observation_space = spaces.Dict({"at": spaces.Tuple([spaces.Discrete(3)])})
    env.reset(seed=1)
    copier = Planner(env)._copier
    first, second = copier.save(None), copier.save(None)
    again = copier.restore(first)
    assert first.observation_space is second.observation_space is again.observation_space
    assert again.observation_space == env.observation_space is not again.observation_space
    assert again.observation_space["at"][0]._np_random is again.np_random is not env.np_random
    env.observation_space["at"][0].n = 4  # it was changed in place
    assert copier.save(None).observation_space == env.observation_space != first.observation_space


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


@pytest.mark.parametrize("discount", [0.999, 0.9999, 1.0])
@pytest.mark.parametrize("method", ["states", "line"])
def test_a_plan_without_discount_does_not_go_round_in_circles(method, discount):
    class Goal(Way):
        def step(self, action):
            at, _, over, *others = super().step(action)
            return at, float(over), over, *others

    planner = Planner(Goal(), iterations=300, method=method, discount=discount, seed=1)
    assert planner.discount <= 0.999
    assert planner.play(seed=1, most_steps=40).steps <= 12
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
