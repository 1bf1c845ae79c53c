/* The prior of a slot that selection never takes: a proven loss, or padding behind the last child. */
#ifndef MCTS_EXCLUDED_H
#define MCTS_EXCLUDED_H

#define SEL_EXCLUDED (-1e30f)

#endif
