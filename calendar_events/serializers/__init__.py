"""What a write may carry, read and explained; the declared shapes of the schema, too."""
