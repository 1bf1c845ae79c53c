"""The value of a leaf of the guided tree: by the game's valuation and exact search, or by rollouts. It depends on the
moves to the leaf, not on the tree, so several threads may value leaves. For ``guided_tree.pyx`` alone."""

from libc.stdint cimport int32_t, uint32_t

from mcts_core.game cimport mcts_estimate, mcts_rollout_report
from mcts_core.tree.guided_blocks cimport leaf_sign
from mcts_core.tree.guided_solver cimport ask_prover, has_prover
from mcts_core.tree.guided_tree cimport SELECT_RAVE, SHARES, GuidedTree, path_of
from mcts_core.tree.guided_proofs cimport terminal
from mcts_core.tree.tree cimport RUN_DONE, RUN_GAME_ERROR, result_of
from mcts_core.tree.valuation cimport estimate_leaf, mixed_points


cdef inline int32_t points_of_link(const GuidedTree *guided, uint32_t link) noexcept nogil:
    """The points for player +1 of a visit to a node of proven value."""
    return <int32_t>result_of(link) * <int32_t>guided.options.wins_per_visit


cdef inline int value_leaf(GuidedTree *guided, uint32_t length, uint32_t *link, int32_t *points) noexcept nogil:
    """Values the leaf at the end of the path: sets ``points``, for player +1, or ``link`` if the leaf is proven."""
    if guided.options.share:
        return estimate(guided, length, link, points)
    return roll_out(guided, length, link, points)


cdef inline int estimate(GuidedTree *guided, uint32_t length, uint32_t *link, int32_t *points) noexcept nogil:
    cdef mcts_estimate found
    cdef int32_t sign = leaf_sign(guided, length), played = 0
    cdef int status = estimate_leaf(guided, length, &found)
    if status != RUN_DONE:
        return status
    if guided.options.solver and length > 1:
        if found.proof.value < 0 and guided.options.leaf_proofs and has_prover(guided):
            status = ask_prover(guided, length, guided.options.leaf_proofs, 0, False, &found.proof)
            if status != RUN_DONE:
                return status
        if found.proof.value >= 0:
            guided.tree.rollouts += 1
            link[0] = terminal(sign, found.proof.value, found.proof.distance)
            return RUN_DONE
    if guided.options.share < SHARES:
        # Without the proofs that rollouts report: the exact search above, which is on by default, sees further.
        status = roll_out(guided, length, NULL, &played)
        if status != RUN_DONE:
            return status
    else:
        guided.tree.rollouts += 1
    points[0] = mixed_points(guided, sign, found.value, played)
    return RUN_DONE


cdef inline int roll_out(GuidedTree *guided, uint32_t length, uint32_t *link, int32_t *points) noexcept nogil:
    """Plays the rollouts of the leaf at the end of the path: ``points`` is the sum of their half-points for player +1.
    One that reports a proof ends them and sets ``link``, unless that is NULL."""
    cdef mcts_rollout_report report
    cdef uint32_t _
    cdef int32_t returned
    report.played = guided.played if guided.options.selection >= SELECT_RAVE else NULL
    points[0] = 0
    for _ in range(guided.options.rollouts):
        report.proof.value = -1
        returned = guided.guide.rollout(guided.tree.game.context, guided.tree.root, path_of(guided), length - 1,
                                        &guided.options.policy, &report, &guided.tree.rng)
        if returned < 0:
            return RUN_GAME_ERROR
        points[0] += 1 + guided.tree.root_sign * (returned - 1)
        guided.tree.rollouts += 1
        if link != NULL and report.proof.value >= 0 and guided.options.solver and length > 1:
            link[0] = terminal(leaf_sign(guided, length), report.proof.value, report.proof.distance)
            return RUN_DONE
    return RUN_DONE
