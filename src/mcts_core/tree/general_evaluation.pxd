"""What an evaluator says of a batch: checked, and taken into the tree; and the end of the batch. For
``general_tree.pyx`` alone."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memmove, memset

from mcts_core.tree.general_tree cimport *


cdef extern from "kernels/selection/priors.h" nogil:
    const int PRIORS_TAKEN
    const int PRIORS_NO_ENTRY
    int priors_take(float *column, uint32_t count, const float *policy, uint32_t width, float *entries, double *sum,
                    uint32_t *fault)

cdef extern from *:
    """
    #define MCTS_TOLERANCE 1e-4  /* by which rounding may take the value of a network out of its range */
    #define MCTS_LARGEST_VALUE 3.4e38  /* in scored games: all that a float can hold but infinity */
    """
    const double TOLERANCE "MCTS_TOLERANCE"
    const double LARGEST_VALUE "MCTS_LARGEST_VALUE"


cdef inline int fault_of(GeneralTree *general, int fault, uint32_t row, uint32_t slot, uint32_t action,
                         double number) noexcept nogil:
    general.fault = fault
    general.fault_row = row
    general.fault_slot = slot
    general.fault_action = action
    general.fault_number = number
    return fault


cdef inline int take(GeneralTree *general, uint32_t entries, const GeneralEvaluation *evaluation) noexcept nogil:
    """Takes the policies of an evaluation of the first ``entries`` into the columns of priors, and checks all its
    numbers, before anything else changes."""
    cdef uint32_t number, row = 0, slot
    cdef const float *policy
    cdef float value
    cdef double most = LARGEST_VALUE if general.scored else 1 + TOLERANCE
    cdef GeneralEntry *entry
    cdef GeneralColumns columns
    cdef int taken
    for number in range(entries):
        entry = &general.entries[number]
        if entry.leaf == NO_LEAF:
            continue
        entry.sum = 0.0
        if evaluation.policy != NULL:
            policy = evaluation.policy + <uint64_t>row * evaluation.width
            columns = general_columns(general, general_block(general, entry.leaf))
            taken = priors_take(columns.priors, columns.total, policy, evaluation.width, <float *>general.noise,
                                &entry.sum, &slot)
            if taken != PRIORS_TAKEN:
                if taken == PRIORS_NO_ENTRY:
                    return fault_of(general, FAULT_ACTION, row, slot, columns.limits[slot], 0)
                return fault_of(general, FAULT_PRIOR, row, slot, columns.limits[slot], (<float *>general.noise)[slot])
        for slot in range(evaluation.value_width):
            value = evaluation.values[<uint64_t>row * evaluation.value_width + slot]
            if not -most <= value <= most:
                return fault_of(general, FAULT_VALUE, row, slot, 0, value)
        row += 1
    return FAULT_NONE


cdef inline double from_signed(double value) noexcept nogil:
    """Scales a value from -1 to 1 to one from 0 to 1."""
    return 0.0 if value <= -1.0 else 1.0 if value >= 1.0 else 0.5 + 0.5 * value


cdef inline void drop_oldest(GeneralTree *general, const GeneralBatch *batch) noexcept nogil:
    """Forgets a batch whose iterations have ended; what was gathered after it moves to the front."""
    cdef uint32_t number, left = general.path_used - batch.path
    general.entry_count -= batch.entries
    general.path_used = left
    if general.older.entries == 0:
        general.waiting = general.collisions = 0
        return
    memset(&general.older, 0, sizeof(GeneralBatch))
    memmove(general.entries, general.entries + batch.entries, general.entry_count * sizeof(GeneralEntry))
    for number in range(general.entry_count):
        general.entries[number].start -= batch.path
    memmove(general.tree.path_record, general.tree.path_record + batch.path, left * sizeof(uint8_t *))
    memmove(general.tree.path_slot, general.tree.path_slot + batch.path, left * sizeof(uint32_t))
    memmove(general.tree.path_passed, general.tree.path_passed + batch.path, left * sizeof(uint32_t))
    memmove(general.tree.path_move, general.tree.path_move + batch.path, left * sizeof(uint32_t))
