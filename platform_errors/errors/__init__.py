"""What can go wrong, and the one place that answers for it."""
