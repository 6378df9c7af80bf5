"""Values that callers hold: made at random, stored as digests or encrypted."""
