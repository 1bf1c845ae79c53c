# Native functions only, by cimport of mnk_prover.pxd: Python sees none of them.
