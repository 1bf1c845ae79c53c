# Native functions only, by cimport of games/mnk/prover.pxd: Python sees none of them.
