"""KeyboardInterrupt at chosen steps of the Python code that a call runs: what a handler of a signal may do, but at the
same steps each time. Steps in C are none: handlers do not run there."""

import gc
import random
import sys


class _Trace:
    """Counts the steps of all frames below ``outside``, and raises at one of them."""

    def __init__(self, outside, at=None):
        self.outside, self.at, self.steps, self.raised, self.where = outside, at, 0, None, None

    def __call__(self, frame, event, argument):
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode" and frame.f_code is not self.outside:
            self.steps += 1
            if self.steps == self.at:
                self.raised = KeyboardInterrupt()
                self.where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                raise self.raised
        return self


def _run(call, trace):
    """Without the collector: hypothesis has callbacks of it, whose steps are none of the call's."""
    before = sys.gettrace()
    gc.disable()
    sys.settrace(trace)
    try:
        return call()
    finally:
        sys.settrace(before)
        gc.enable()


def interrupted_steps(call, most, seed=1):
    """Runs ``call`` again and again, each time interrupted at another step: at each one, or at ``most`` of them.

    Yields (step, place, what came out): after each, the caller may check what is left. Of a call that is interrupted
    there comes out what was raised, else something is wrong. The first two calls are whole: they import and count.
    """
    call()
    whole = _Trace(_run.__code__)
    _run(call, whole)
    assert whole.steps > 0
    steps = range(1, whole.steps + 1)
    for at in steps if most >= len(steps) else sorted(random.Random(seed).sample(steps, most)):
        trace, found = _Trace(_run.__code__, at), None
        unraisable, hook = [], sys.unraisablehook
        sys.unraisablehook = lambda given, into=unraisable: into.append(given.exc_type)
        try:
            _run(call, trace)
        except BaseException as error:
            found = error
        finally:
            sys.unraisablehook = hook
        if trace.raised is not None:  # else it was shorter this time
            yield at, trace.where, unraisable or ("interrupted" if found is trace.raised else found)
