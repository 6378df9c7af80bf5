"""The authorization request: validated, kept while the user answers, and remembered."""
