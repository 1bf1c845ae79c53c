# Native functions only, by cimport of engine/descent.pxd: Python sees none of them.
