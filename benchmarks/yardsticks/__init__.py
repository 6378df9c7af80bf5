"""The same answers by other means, to compare with."""
