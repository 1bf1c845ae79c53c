"""A page in the browser where a person plays against the engine: ``mcts-core serve``.

``sessions`` holds the games and their searches, ``server`` answers HTTP on 127.0.0.1, ``static`` is the page. They need
nothing but the standard library and the public interface of the package.
"""
