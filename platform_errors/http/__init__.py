"""What HTTP says around an API: headers, negotiation, addresses, WSGI."""
