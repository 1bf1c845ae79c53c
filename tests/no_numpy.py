"""The begin of a program in which numpy cannot be imported; it imports sys."""

NO_NUMPY = """
import sys
class Nowhere:
    def find_spec(self, name, *rest):
        if name == "numpy":
            raise ModuleNotFoundError("no numpy here")
sys.meta_path.insert(0, Nowhere())
"""
