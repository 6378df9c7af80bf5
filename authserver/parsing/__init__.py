"""What people and applications send, compared and validated; knows no table."""
