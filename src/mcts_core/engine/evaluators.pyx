"""Evaluators: a user's function of a batch of observations, or of one state.

This module checks the form of what it returns, the tree checks the numbers; the tree does not change before both are
done.
"""

from collections.abc import Mapping

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer
from cpython.float cimport PyFloat_AsDouble
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset, strcmp

from mcts_core.errors import EvaluatorError
from mcts_core.game import import_numpy
from mcts_core.games.user_states import told_excess, within
from mcts_core.arguments import shorten

from mcts_core.games.general_rules cimport Rules
from mcts_core.tree.general_tree cimport FAULT_ACTION, FAULT_PRIOR, GeneralEvaluation, GeneralTree


cdef enum:
    LARGEST_WIDTH = 1 << 30  # of a policy


cdef Evaluator evaluator_of(object function, bint by_state):
    return StateEvaluator(function) if by_state else BatchEvaluator(function)


cdef class Evaluator:
    """A user's function. Call ``prepare``, gather the leaves, then call ``evaluate`` and ``release``."""

    def __cinit__(self, function):
        self.function = function
        memset(&self.evaluation, 0, sizeof(self.evaluation))

    cdef int prepare(self, Rules rules, uint32_t rows) except -1:
        raise NotImplementedError

    cdef int evaluate(self, Rules rules, uint32_t rows) except -1:
        raise NotImplementedError

    cdef int copy(self) except -1:
        """Makes the results of the last call independent of what the function does with their memory later."""

    cdef void release(self) noexcept:
        """Releases the results of the last call."""

    cdef object complaint(self, Rules rules, const GeneralTree *tree, uint32_t first_row):
        """The fault that the tree found in its part of the last evaluation, from this row on, as an exception."""
        raise NotImplementedError


cdef class BatchEvaluator(Evaluator):
    """``f(observations[B, C, H, W]) -> (policy[B, A], value[B])`` over numpy arrays."""

    def __cinit__(self, function):
        self.numpy = import_numpy()
        self.empty = self.numpy.empty
        self.float32 = self.numpy.dtype(self.numpy.float32)

    def __dealloc__(self):
        self.release()
        free(self.copied)

    cdef int prepare(self, Rules rules, uint32_t rows) except -1:
        """A new array for each batch: what the user's function keeps is not written again."""
        cdef Py_buffer view
        if self.rules is not rules or self.rows != rows:
            self.rules = rules
            self.rows = rows
            self.shape = (rows, *rules.shape)
        self.array = self.empty(self.shape, self.float32)
        PyObject_GetBuffer(self.array, &view, PyBUF_C_CONTIGUOUS)
        self.observations = <float *>view.buf
        self.stride = <uint64_t>view.len // (4 * rows)
        PyBuffer_Release(&view)  # the array outlives the use of its address
        return 0

    cdef int evaluate(self, Rules rules, uint32_t rows) except -1:
        cdef GeneralEvaluation *evaluation = &self.evaluation
        cdef uint32_t players = rules.players
        cdef const Py_buffer *view
        array = self.array
        if rows < self.rows:
            array = array[:rows]
            if 2 * rows < self.rows:  # what the function keeps need not keep all of the array
                array = array.copy()
        try:
            result = self.function(array)
        except Exception as error:
            raise EvaluatorError(f"the evaluator raised {type(error).__name__}: {error}") from error
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise EvaluatorError(f"the evaluator must return (policy, value), got {shorten(result)}")
        policy, value = result
        self.release()
        evaluation.rows = rows
        evaluation.policy = NULL
        evaluation.width = 0
        if policy is not None:
            self.open(policy, "policy", &self.policy_view, &self.has_policy)
            view = &self.policy_view
            if (view.ndim != 2 or view.shape[0] != rows or not 0 < view.shape[1] < LARGEST_WIDTH
                    or (rules.actions and view.shape[1] != rules.actions)):
                raise EvaluatorError(f"the policy must have the shape ({rows}, {rules.actions or 'A'}): B positions, A "
                                     f"actions, got {shape_of(view)}")
            evaluation.policy = <const float *>view.buf
            evaluation.width = <uint32_t>view.shape[1]
        self.open(value, "value", &self.values_view, &self.has_values)
        view = &self.values_view
        if view.ndim not in (1, 2) or view.shape[0] != rows:
            evaluation.value_width = 0
        else:
            evaluation.value_width = <uint32_t>view.shape[1] if view.ndim == 2 else 1
        if evaluation.value_width != players and not (evaluation.value_width == 1 and has_single_value(rules)):
            expected = (f"({rows},), one value for each position" if has_single_value(rules)
                        else f"({rows}, {players}), a value for each position and player")
            raise EvaluatorError(f"the value must have the shape {expected}, got {shape_of(view)}")
        evaluation.values = <const float *>view.buf
        return 0

    cdef int open(self, object given, str what, Py_buffer *view, bint *opened) except -1:
        """Opens a view of ``given`` as contiguous float32: its own memory where it has that form, else a copy."""
        try:
            PyObject_GetBuffer(given, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
        except (TypeError, BufferError, ValueError):
            pass
        else:
            if view.format != NULL and strcmp(view.format, b"f") == 0:
                opened[0] = True
                return 0
            PyBuffer_Release(view)
        try:
            array = self.numpy.asarray(given)
            if array.dtype.kind not in "fiu":
                raise TypeError(f"its dtype is {array.dtype}")
            array = array.astype(self.float32, order="C")
        except Exception as error:
            raise EvaluatorError(f"the {what} must be an array of real numbers, got {shorten(given)}: "
                                 f"{error}") from error
        PyObject_GetBuffer(array, view, PyBUF_C_CONTIGUOUS)
        opened[0] = True
        return 0

    cdef int copy(self) except -1:
        cdef GeneralEvaluation *evaluation = &self.evaluation
        cdef uint64_t policies = <uint64_t>evaluation.rows * evaluation.width
        cdef uint64_t values = <uint64_t>evaluation.rows * evaluation.value_width
        if not room_for(&self.copied, &self.room, policies + values):
            raise MemoryError
        if policies:
            memcpy(self.copied, evaluation.policy, policies * sizeof(float))
            evaluation.policy = self.copied
        memcpy(self.copied + policies, evaluation.values, values * sizeof(float))
        evaluation.values = self.copied + policies
        self.release()
        return 0

    cdef void release(self) noexcept:
        if self.has_policy:
            PyBuffer_Release(&self.policy_view)
        if self.has_values:
            PyBuffer_Release(&self.values_view)
        self.has_policy = self.has_values = False

    cdef object complaint(self, Rules rules, const GeneralTree *tree, uint32_t first_row):
        if tree.fault == FAULT_ACTION:
            return EvaluatorError(f"the policy must have an entry for every move, but a legal move has the index "
                                  f"{tree.fault_action} and the policy {self.evaluation.width} entries")
        if tree.fault == FAULT_PRIOR:
            return EvaluatorError(f"the policy of every legal move must be a finite number >= 0, got "
                                  f"{tree.fault_number:g} for action {tree.fault_action} in row "
                                  f"{first_row + tree.fault_row}")
        return EvaluatorError(f"values must be numbers {value_range(rules)}, got {tree.fault_number:g} in row "
                              f"{first_row + tree.fault_row}")


cdef bint has_single_value(Rules rules):
    """Whether a number for the player to move is enough: what two players get has a constant sum but for rewards."""
    return rules.players == 1 or (rules.players == 2 and not rules.table.scored)


cdef str value_range(Rules rules):
    return "from -3.4e38 to 3.4e38 (float32)" if rules.table.scored else "from -1 to 1"


cdef tuple shape_of(const Py_buffer *view):
    cdef int i
    return tuple([view.shape[i] for i in range(view.ndim)])


cdef bint room_for(float **memory, uint64_t *room, uint64_t count) noexcept nogil:
    cdef float *larger
    if count <= room[0]:
        return True
    larger = <float *>realloc(memory[0], count * sizeof(float))
    if larger == NULL:
        return False
    memory[0] = larger
    room[0] = count
    return True


cdef class StateEvaluator(Evaluator):
    """``f(state) -> (priors, value)`` for one state at a time: priors by move or in the order of the legal moves."""

    def __dealloc__(self):
        free(self.policy)
        free(self.values)

    cdef int prepare(self, Rules rules, uint32_t rows) except -1:
        rules.leaves.clear()
        return 0

    cdef int evaluate(self, Rules rules, uint32_t rows) except -1:
        try:
            self.write(rules, rows)
        finally:
            rules.leaves.clear()
        return 0

    cdef int write(self, Rules rules, uint32_t rows) except -1:
        cdef GeneralEvaluation *evaluation = &self.evaluation
        cdef uint32_t row, slot, width = 1
        cdef list policies = [], numbers = []
        self.moves = []
        for state, moves in rules.leaves:
            try:
                result = self.function(state)
            except Exception as error:
                raise EvaluatorError(f"policy_value raised {type(error).__name__}: {error}") from error
            if not isinstance(result, (tuple, list)) or len(result) != 2:
                raise EvaluatorError(f"policy_value must return (priors, value), got {shorten(result)}")
            policies.append(self.priors_of(result[0], moves))
            numbers.append(self.value_of(rules, result[1]))
            self.moves.append(moves)
            width = max(width, <uint32_t>len(moves))
            if len(numbers[len(numbers) - 1]) != len(numbers[0]):
                raise EvaluatorError("policy_value must return values of one kind, either of the player to move or of "
                                     "every player")
        evaluation.rows = rows
        evaluation.width = width
        evaluation.value_width = <uint32_t>len(numbers[0])
        if not (room_for(&self.policy, &self.policy_room, <uint64_t>rows * width)
                and room_for(&self.values, &self.values_room, <uint64_t>rows * evaluation.value_width)):
            raise MemoryError
        for row in range(rows):
            for slot, prior in enumerate(policies[row]):
                self.policy[<uint64_t>row * width + slot] = prior
            for slot, value in enumerate(numbers[row]):
                self.values[<uint64_t>row * evaluation.value_width + slot] = value
        evaluation.policy = self.policy
        evaluation.values = self.values
        return 0

    cdef list priors_of(self, object priors, list moves):
        if priors is None:
            return [1.0] * len(moves)
        try:
            if isinstance(priors, Mapping):
                if priors and not any(move in priors for move in moves):
                    raise EvaluatorError(f"the priors of policy_value must be of legal moves, such as "
                                         f"{shorten(moves[0])}, got none of them: {shorten(priors)}")
                return [PyFloat_AsDouble(priors.get(move, 0.0)) for move in moves]
            if isinstance(priors, (str, bytes)):
                raise TypeError("a text is none")
            if isinstance(priors, (set, frozenset)):
                raise TypeError("a set has no order")
            given = [PyFloat_AsDouble(prior) for prior in within(priors, len(moves))]
        except EvaluatorError:
            raise
        except Exception as error:  # also what an iterator or a mapping of the user's raises
            raise EvaluatorError(f"the priors of policy_value must be a dict of numbers by move, or a sequence of "
                                 f"numbers, got {shorten(priors)}: {error}") from error
        if len(given) != len(moves):
            raise EvaluatorError(f"the priors of policy_value must be as many as the legal moves, {len(moves)}, "
                                 f"got {told_excess(priors) if len(given) > len(moves) else len(given)}")
        return given

    cdef list value_of(self, Rules rules, object value):
        cdef int players = rules.players
        try:
            # apart: Mapping runs Python code, and Cython does not see what that raises when the class is in a tuple
            if isinstance(value, (str, bytes, set, frozenset)) or isinstance(value, Mapping):
                raise TypeError
            if has_single_value(rules):
                try:
                    return [PyFloat_AsDouble(value)]
                except TypeError:
                    pass
            numbers = [PyFloat_AsDouble(number) for number in within(value, players)]
            if len(numbers) != players:
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            expected = "a number" if players == 1 else f"a number for each of the {players} players"
            if players == 2 and has_single_value(rules):
                expected = "a number, or one for each player"
            if players == 2 and rules.table.scored:
                expected += ", because the game has rewards or a discount"
            raise EvaluatorError(f"the value of policy_value must be {expected}, got {shorten(value)}") from None
        except Exception as error:
            raise EvaluatorError(f"the value of policy_value raised {type(error).__name__}: {error}") from error
        return numbers

    cdef object complaint(self, Rules rules, const GeneralTree *tree, uint32_t first_row):
        if tree.fault == FAULT_PRIOR:
            return EvaluatorError(f"the priors of policy_value must be finite numbers >= 0, got {tree.fault_number:g} "
                                  f"for the move {shorten(self.moves[first_row + tree.fault_row][tree.fault_slot])}")
        return EvaluatorError(f"the value of policy_value must be {value_range(rules)}, got {tree.fault_number:g}")
