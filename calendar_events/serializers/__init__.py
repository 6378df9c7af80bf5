"""What a write may carry, read and explained. What is answered is in ``documents``."""
