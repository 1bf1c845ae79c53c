# Native functions only, by cimport of engine/stop_rules.pxd: Python sees none of them.
