# Native functions only, by cimport of exchange.pxd: Python sees none of them.
