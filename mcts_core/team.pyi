# Native functions only, by cimport of team.pxd: Python sees none of them.
