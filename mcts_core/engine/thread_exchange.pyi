# Native functions only, by cimport of engine/thread_exchange.pxd: Python sees none of them.
