# Native functions only, by cimport of tree_check.pxd: Python sees none of them.
