"""Service keys: the key store, what a key may do, its scopes and its secrets."""
