"""Work that no request waits for: the queue of tasks, and the worker that empties it."""
