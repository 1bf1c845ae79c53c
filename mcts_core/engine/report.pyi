# Native functions only, by cimport of engine/report.pxd: Python sees none of them.
