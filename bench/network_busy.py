"""How much of the time of a search its network is busy: while a call of the evaluator runs, by the search's wall time.

    python bench/network_busy.py                                 networks that sleep 200 us to 5 ms a call
    python bench/network_busy.py connect4 --sleep 300 --rounds 9 --options leaf_proofs=0,root_proofs=0
    python bench/network_busy.py --onnx                          ONNX Runtime on one thread; needs onnx, onnxruntime
    python bench/network_busy.py --torch                         PyTorch on a GPU, else on one thread; needs torch, onnx
    python bench/network_busy.py --torch cuda:1 --channels 128 --layers 10 --threads 2 4 8

For each game and network it measures ``search`` of one position with 1,600 iterations and batch 8, ``search_many`` of
1,024 positions with 64 iterations and batch 1, and ``selfplay`` with 32 iterations a move and 128 games a call, for
1,024 positions from its start, each with one and two threads, or with those of ``--threads``. With ``--onnx`` and
``--torch``, the network of Connect Four is that of ``examples/alphazero_connect_four``, and that of gomoku has four
convolutions of 32 channels and random weights. With ``--channels`` or ``--layers``, both have random weights and that
size. A call of PyTorch takes the observations to the device and ends when the results are back in numpy's arrays. It
fills the batch up to a power of two, at least 8; the first call of a thread with so many rows is made twice, and the
measurement leaves out the first one.

Prints the medians of all rounds:

    rows     positions a call
    network  microseconds of a call, as its caller sees them
    tree     microseconds of processor time a call outside the network, of all threads
    between  of these, those that the thread that calls the network spends between two calls
    leaves   evaluated a second, in thousands
    busy     the share of the wall time
    quiet    the share that follows from processor times, where each thread has a core for itself and no other program
             delays it: network / (network + tree) with one thread, network / max(network + between,
             (tree - between) / (threads - 1)) with more. Here "network" is what the call has to take: the sleep, the
             processor time of ONNX Runtime or of PyTorch on a CPU, and the median wall time of PyTorch's calls on a GPU

On a machine with other work, "busy" and "network" show mainly how long threads wait for a core. Needs numpy.
"""

import argparse
import statistics
import sys
import time
from functools import partial

import arguments
import networks
import numpy

import mcts_core

GAMES = {"connect4": mcts_core.ConnectFour(), "gomoku": mcts_core.Gomoku()}
SLEEPS = [200, 500, 1000, 5000]
ROWS = 512
ITERATIONS = 1600
POSITIONS, OF_EACH = 1024, 64
GAMES_A_CALL, ALL_GAMES, OF_MOVE = 128, 512, 32
CHANNELS, LAYERS = 32, 4


class EnoughError(Exception):
    """Ends self-play."""


class Network:
    """An evaluator that measures the calls of another one.

    ``sleep``: the seconds of a call, None: what it computes; ``device``: it computes there, not on the processor.
    ``prepare``: called with the observations before each call; its time counts nowhere.
    """

    def __init__(self, evaluate, sleep=None, device=False, prepare=None):
        self.evaluate = evaluate
        self.sleep = sleep
        self.device = device
        self.prepare = prepare
        self.reset()

    def reset(self):
        self.rows, self.walls = [], []
        self.within = self.between = 0.0  # processor seconds of the calling thread
        self.apart = self.apart_used = 0.0  # of ``prepare``: seconds, processor seconds
        self.last = None

    def __call__(self, observations):
        if self.prepare is not None:
            used, begin = time.thread_time(), time.perf_counter()
            self.prepare(observations)
            self.apart += time.perf_counter() - begin
            used = time.thread_time() - used
            self.apart_used += used
            if self.last is not None:
                self.last += used
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
        """(rows, network, tree, between, leaves, busy, quiet) of a search."""
        self.reset()
        begin, used = time.perf_counter(), time.process_time()
        search(self)
        used = time.process_time() - used - self.apart_used
        wall = time.perf_counter() - begin - self.apart
        calls = len(self.walls)
        network, between = statistics.median(self.walls), self.between / calls
        tree = (used - self.within) / calls
        if self.sleep is not None:
            least = self.sleep
        else:
            least = network if self.device else self.within / calls
        turn = least + tree if threads == 1 else max(least + between, (tree - between) / (threads - 1))
        return (statistics.mean(self.rows), 1e6 * network, 1e6 * tree, 1e6 * between, sum(self.rows) / wall / 1000,
                sum(self.walls) / wall, least / turn)


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


def computing(name, args, device):
    """{name: Network} of ONNX Runtime, or of PyTorch on the device."""
    sized = name != "connect4" or args.channels or args.layers
    size = (args.channels or CHANNELS, args.layers or LAYERS) if sized else None
    if args.onnx:
        return {"onnx": Network(networks.by_onnx(GAMES[name], size))}
    found = networks.ByTorch(GAMES[name], device, size)
    return {str(device): Network(found, device=device.type != "cpu", prepare=found.prepare)}


def searches(state, scale, options, counts):
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
            if done.positions >= POSITIONS:
                raise EnoughError

        try:
            list(mcts_core.selfplay(state, games=ALL_GAMES, together=GAMES_A_CALL, iterations=count(OF_MOVE), seed=1,
                                    evaluator=evaluator, threads=threads, progress=progress, **options))
        except EnoughError:
            pass

    for name, search in (("search", one), ("search_many", many), ("selfplay", self_play)):
        for threads in counts if search is not one else sorted({min(count, 2) for count in counts}):
            yield f"{name}, threads={threads}", threads, partial(search, threads=threads)


def compare(name, measured, rounds, scale, options, counts):
    """Prints a line for each network and search. ``measured``: the networks, by name."""
    rows = {}
    for _ in range(rounds):
        for what, network in measured.items():
            for kind, threads, search in searches(GAMES[name], scale, options, counts):
                rows.setdefault((what, kind), []).append(network.measure(search, threads))
    for (what, kind), found in rows.items():
        medians = (statistics.median(column) for column in zip(*found, strict=True))
        size, network, tree, between, leaves, busy, quiet = medians
        print(f"{name:9} {what:9} {kind:24} {size:6.1f} {network:8.0f} {tree:6.0f} {between:8.0f} {leaves:7.1f} "
              f"{busy:7.1%} {quiet:7.1%}", flush=True)


def main(argv=None):
    first, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"{', '.join(GAMES)} (default: all)")
    parser.add_argument("--sleep", type=float, nargs="+", metavar="MICROSECONDS",
                        help=f"what a call takes (default: {' '.join(map(str, SLEEPS))})")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--onnx", action="store_true", help="ONNX Runtime in place of networks that sleep")
    kind.add_argument("--torch", nargs="?", const="", metavar="DEVICE",
                      help="PyTorch in place of networks that sleep (default: cuda where available, else cpu)")
    parser.add_argument("--channels", type=arguments.whole, metavar="N", help=f"of the network (default: {CHANNELS})")
    parser.add_argument("--layers", type=arguments.whole, metavar="N", help=f"of the network (default: {LAYERS})")
    parser.add_argument("--rounds", type=arguments.whole, default=3, metavar="N")
    parser.add_argument("--threads", type=arguments.whole, nargs="+", default=[1, 2], metavar="N")
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
    device = None
    if args.torch is not None:
        try:
            device = networks.torch_device(args.torch)
        except ValueError as error:
            parser.error(f"--torch {args.torch}: {error}")
    elif (args.channels or args.layers) and not args.onnx:
        parser.error("--channels and --layers need --onnx or --torch")
    print(f"{'game':9} {'network':9} {'search':24} {'rows':>6} {'network':>8} {'tree':>6} {'between':>8} {'leaves':>7} "
          f"{'busy':>7} {'quiet':>7}")
    for name in args.games or GAMES:
        if args.onnx or device is not None:
            measured = computing(name, args, device)
        else:
            measured = {f"{sleep:g} us": Network(sleeping(GAMES[name], sleep / 1e6), sleep / 1e6)
                        for sleep in args.sleep or SLEEPS}
        compare(name, measured, args.rounds, args.scale, options, args.threads)
    return 0


if __name__ == "__main__":
    sys.exit(main())
