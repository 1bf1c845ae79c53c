# Native functions only, by cimport of tree/compaction.pxd: Python sees none of them.
