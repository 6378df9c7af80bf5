"""Every write of the calendar: one keyword-only function per use case."""
