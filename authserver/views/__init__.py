"""The authorization server's pages and endpoints; one module per page or endpoint."""
