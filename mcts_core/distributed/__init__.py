"""One search by many processes."""
