"""Lines of the log: how they are formatted, what is masked, how often they repeat."""
