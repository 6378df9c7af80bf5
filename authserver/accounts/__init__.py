"""Who signs in: backends, hashers, sessions, limits, and what a password ends."""
