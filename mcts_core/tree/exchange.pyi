# Native functions only, by cimport of tree/exchange.pxd: Python sees none of them.
