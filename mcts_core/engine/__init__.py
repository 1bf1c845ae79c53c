"""One search: the loop, stop rules, threads, reuse, reports."""
