"""How much of the time of a search its network is busy: while a call of the evaluator runs, by the search's wall time.

    python bench/network_busy.py                                 networks that sleep 200 us to 5 ms a call
    python bench/network_busy.py connect4 --sleep 300 --rounds 9 --options leaf_proofs=0,root_proofs=0
    python bench/network_busy.py --onnx                          ONNX Runtime on one thread; needs onnx, onnxruntime

For each game and network it measures ``search`` of one position with 1,600 iterations and batch 8, ``search_many`` of
128 positions with 64 iterations and batch 1, and ``selfplay`` of 128 games with 32 iterations for each of the first
four moves, without and with ``threads=2``. With ``--onnx``, the network of Connect Four is that of
``examples/alphazero_connect_four``, and that of gomoku has random weights: four convolutions of 32 channels.

Prints the medians of all rounds:

    rows     positions a call
    network  microseconds of a call, as its caller sees them
    tree     microseconds of processor time a call outside the network, of all threads
    between  of these, those that the thread that calls the network spends between two calls
    busy     the share of the wall time
    quiet    the share that follows from processor times, where each thread has a core for itself and no other program
             delays it: network / (network + tree) with one thread, network / max(network + between, tree - between)
             with two. Here "network" is what the call has to take: the sleep, or the processor time of ONNX Runtime

On a machine with other work, "busy" and "network" show mainly how long threads wait for a core. Needs numpy.
"""

import argparse
import statistics
import sys
import time
from functools import partial
from pathlib import Path

import arguments
import numpy

import mcts_core

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "alphazero_connect_four"
GAMES = {"connect4": mcts_core.ConnectFour(), "gomoku": mcts_core.Gomoku()}
SLEEPS = [200, 500, 1000, 5000]
ROWS = 256
ITERATIONS = 1600
POSITIONS, OF_EACH = 128, 64
MOVES, OF_MOVE = 4, 32
CHANNELS, LAYERS = 32, 4


class EnoughError(Exception):
    """Ends self-play."""


class Network:
    """An evaluator that measures the calls of another one. ``sleep``: the seconds of a call, None: what it computes."""

    def __init__(self, evaluate, sleep=None):
        self.evaluate = evaluate
        self.sleep = sleep
        self.reset()

    def reset(self):
        self.rows, self.walls = [], []
        self.within = self.between = 0.0  # processor seconds of the calling thread
        self.last = None

    def __call__(self, observations):
        used, begin = time.thread_time(), time.perf_counter()
        if self.last is not None and used >= self.last:  # a new thread begins at 0
            self.between += used - self.last
        found = self.evaluate(observations)
        self.walls.append(time.perf_counter() - begin)
        self.last = time.thread_time()
        self.within += self.last - used
        self.rows.append(len(observations))
        return found

    def measure(self, search, threads):
        """(rows, network, tree, between, busy, quiet) of a search."""
        self.reset()
        begin, used = time.perf_counter(), time.process_time()
        search(self)
        used, wall = time.process_time() - used, time.perf_counter() - begin
        calls = len(self.walls)
        network, between = statistics.median(self.walls), self.between / calls
        tree = (used - self.within) / calls
        least = self.within / calls if self.sleep is None else self.sleep
        turn = least + tree if threads == 1 else max(least + between, tree - between)
        return (statistics.mean(self.rows), 1e6 * network, 1e6 * tree, 1e6 * between, sum(self.walls) / wall,
                least / turn)


def sleeping(state, seconds):
    """A network that sleeps. Policies and values are other ones for every row, so that trees are uneven."""
    draw = numpy.random.default_rng(1)
    policy = draw.random((ROWS, state.actions), dtype=numpy.float32)
    values = 0.6 * draw.random(ROWS, dtype=numpy.float32) - 0.3
    turn = 0

    def evaluate(observations):
        nonlocal turn
        time.sleep(seconds)
        turn = (turn + 37) % ROWS
        at = numpy.arange(turn, turn + len(observations)) % ROWS
        return policy[at], values[at]

    return evaluate


def random_network(state):
    """An ONNX model with random weights."""
    from onnx import TensorProto, helper, numpy_helper

    draw = numpy.random.default_rng(1)
    planes, rows, columns = state.observation().shape
    weights, nodes, last = [], [], "observations"

    def weight(name, *shape):
        array = draw.normal(0, (2 / numpy.prod(shape[1:])) ** 0.5, shape).astype(numpy.float32)
        weights.append(numpy_helper.from_array(array, name))
        return name

    for layer in range(LAYERS):
        width = CHANNELS if layer else planes
        nodes += [helper.make_node("Conv", [last, weight(f"w{layer}", CHANNELS, width, 3, 3)], [f"c{layer}"],
                                   pads=[1, 1, 1, 1]),
                  helper.make_node("Relu", [f"c{layer}"], [f"r{layer}"])]
        last = f"r{layer}"
    cells = rows * columns
    nodes += [helper.make_node("Conv", [last, weight("head", 2, CHANNELS, 1, 1)], ["maps"]),
              helper.make_node("Flatten", ["maps"], ["flat"]),
              helper.make_node("Gemm", ["flat", weight("to_policy", state.actions, 2 * cells)], ["logits"], transB=1),
              helper.make_node("Softmax", ["logits"], ["policy"]),
              helper.make_node("Gemm", ["flat", weight("to_value", 1, 2 * cells)], ["sum"], transB=1),
              helper.make_node("Tanh", ["sum"], ["value"])]
    graph = helper.make_graph(
        nodes, "random", [helper.make_tensor_value_info("observations", TensorProto.FLOAT,
                                                        ["B", planes, rows, columns])],
        [helper.make_tensor_value_info("policy", TensorProto.FLOAT, ["B", state.actions]),
         helper.make_tensor_value_info("value", TensorProto.FLOAT, ["B", 1])], weights)
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()


def by_onnx(name):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = str(EXAMPLE / "trained.onnx") if name == "connect4" else random_network(GAMES[name])
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda observations: session.run(["policy", "value"], {"observations": observations})


def searches(state, scale, options):
    """(name, threads, function of an evaluator) of everything that is measured; ``scale``: of its iterations."""
    opened = [state.play(move) for move in state.legal_moves()]
    opened = [opened[number % len(opened)] for number in range(POSITIONS)]

    def count(iterations):
        return max(1, int(iterations * scale))

    def one(evaluator, threads):
        mcts_core.Searcher(evaluator=evaluator, threads=threads, seed=1, **options).search(
            state, iterations=count(ITERATIONS))

    def many(evaluator, threads):
        mcts_core.search_many(opened, evaluator=evaluator, threads=threads, iterations=count(OF_EACH), batch=1, seed=1,
                              **options)

    def self_play(evaluator, threads):
        def progress(done):
            if done.positions >= MOVES * POSITIONS:
                raise EnoughError

        try:
            list(mcts_core.selfplay(state, games=POSITIONS, together=POSITIONS, iterations=count(OF_MOVE), seed=1,
                                    evaluator=evaluator, threads=threads, progress=progress, **options))
        except EnoughError:
            pass

    for name, search in (("search", one), ("search_many", many), ("selfplay", self_play)):
        for threads in (1, 2):
            yield f"{name}, threads={threads}", threads, partial(search, threads=threads)


def compare(name, networks, rounds, scale, options):
    """Prints a line for each network and search. ``networks``: by name."""
    rows = {}
    for _ in range(rounds):
        for what, network in networks.items():
            for kind, threads, search in searches(GAMES[name], scale, options):
                rows.setdefault((what, kind), []).append(network.measure(search, threads))
    for (what, kind), found in rows.items():
        size, network, tree, between, busy, quiet = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"{name:9} {what:9} {kind:24} {size:6.1f} {network:8.0f} {tree:6.0f} {between:8.0f} {busy:7.1%} "
              f"{quiet:7.1%}", flush=True)


def main(argv=None):
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"{', '.join(GAMES)} (default: all)")
    parser.add_argument("--sleep", type=float, nargs="+", metavar="MICROSECONDS",
                        help=f"what a call takes (default: {' '.join(map(str, SLEEPS))})")
    parser.add_argument("--onnx", action="store_true", help="ONNX Runtime in place of networks that sleep")
    parser.add_argument("--rounds", type=arguments.whole, default=3, metavar="N")
    parser.add_argument("--scale", type=float, default=1.0, help="times as many iterations")
    parser.add_argument("--options", default="", metavar="OPTIONS", help="name=value,... of the searches")
    args = parser.parse_args(argv)
    try:
        options = arguments.options(args.options)
        mcts_core.Searcher(evaluator=lambda observations: None, **options)
    except (ValueError, TypeError) as error:
        parser.error(f"{args.options!r}: {error}")
    for name in args.games:
        if name not in GAMES:
            parser.error(f"GAME must be one of {', '.join(GAMES)}, got {name!r}")
    print(f"{'game':9} {'network':9} {'search':24} {'rows':>6} {'network':>8} {'tree':>6} {'between':>8} {'busy':>7} "
          f"{'quiet':>7}")
    for name in args.games or GAMES:
        if args.onnx:
            networks = {"onnx": Network(by_onnx(name))}
        else:
            networks = {f"{sleep:g} us": Network(sleeping(GAMES[name], sleep / 1e6), sleep / 1e6)
                        for sleep in args.sleep or SLEEPS}
        compare(name, networks, args.rounds, args.scale, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
