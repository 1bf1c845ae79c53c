/* The prior of a child that selection never takes, because it is proven to lose or is none. */
#ifndef MCTS_EXCLUDED_H
#define MCTS_EXCLUDED_H

#define SEL_EXCLUDED (-1e30f)

#endif
