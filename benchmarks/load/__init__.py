"""Load of every kind on the production set-up, and faults under it, with a ledger."""
