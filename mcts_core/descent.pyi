# Native functions only, by cimport of descent.pxd: Python sees none of them.
