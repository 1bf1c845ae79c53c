# Native functions only, by cimport of engine/reuse.pxd: Python sees none of them.
