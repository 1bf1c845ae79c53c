# Native functions only, by cimport of compaction.pxd: Python sees none of them.
