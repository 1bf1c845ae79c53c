"""Interrupts steps of a soak: a signal at a random moment, whose handler raises KeyboardInterrupt, as Ctrl-C does."""

import contextlib
import gc
import signal
import sys
import time

import soak_steps

POSSIBLE = hasattr(signal, "setitimer")
STEPS = {
    soak_steps.search, soak_steps.progress, soak_steps.pondered, soak_steps.pondering, soak_steps.let_go,
    soak_steps.watched, soak_steps.many, soak_steps.module_level, soak_steps.random_games, soak_steps.repeated,
    soak_steps.refused, soak_steps.states_copied, soak_steps.other_game, soak_steps.saved, soak_steps.pickled,
}
"""What may be interrupted: not what uses asyncio.run, threading.Thread or forks, which do not bear it."""
SHARE = 0.7
"""Of the steps that may be interrupted."""


def interrupted(soak, seat, step):
    """A step that is interrupted 10 us to 30 ms after its begin, if it takes that long."""
    raised = []

    def handle(*_):
        raised.append(KeyboardInterrupt())
        raise raised[-1]

    def note(found):
        soak.fault(f"{found.exc_type.__name__} thrown away in {found.object!r}")

    gc.collect()  # what other steps left: Python throws away what is raised when a thread of threading is collected
    hook, sys.unraisablehook = sys.unraisablehook, note
    handler = signal.signal(signal.SIGALRM, handle)
    caught = False
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, 10 ** soak.chooser.uniform(-5, -1.5))
            step(soak, seat)
        except KeyboardInterrupt:
            caught = True
        finally:
            disarm()
    except KeyboardInterrupt:
        caught = True
    finally:
        with contextlib.suppress(KeyboardInterrupt):
            disarm()
        signal.signal(signal.SIGALRM, handler)
        sys.unraisablehook = hook
    soak.expect(caught or not raised, "an interrupt did not come out of the step")
    if caught:
        soak.totals["interrupts"] += 1
        recover(soak, seat)


def disarm():
    """No signal comes any more; one that came at another thread is handled now."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    time.sleep(1e-6)


def recover(soak, seat):
    """The Searcher of an interrupted step works."""
    if seat.state.winner() is not None:
        seat.state, seat.plies = seat.first, 0
    seat.searched = None
    seat.engine.stop()
    move = seat.engine.search(seat.state, iterations=3)
    soak.expect(move in seat.state.legal_moves(), f"after an interrupt, the move {move!r}")
    seat.remember()
