# Native functions only, by cimport of tree/check.pxd: Python sees none of them.
