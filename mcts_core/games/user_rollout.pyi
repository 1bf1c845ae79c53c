# Native functions only, by cimport of games/user_rollout.pxd: Python sees none of them.
