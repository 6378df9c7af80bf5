"""The old generation of clients: its endpoints, parameters and answers."""
