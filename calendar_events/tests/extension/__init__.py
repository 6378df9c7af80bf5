"""A project that extends the calendar from outside, without a change of it."""
