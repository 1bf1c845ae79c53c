# Native functions only, by cimport of engine/team.pxd: Python sees none of them.
