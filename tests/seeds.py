"""The seed of a Searcher, taken away again."""


def without_seed(engine):
    """Makes a Searcher go on with a tree when it searches the same position again; with a seed it begins anew."""
    known = engine._requests
    engine._options.seed = None
    engine._requests = engine._options.requests(known.served)
    engine._requests.settings.update(known.settings)  # those of the tree
