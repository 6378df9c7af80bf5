"""Pages for people: HTML, sessions, redirects."""
