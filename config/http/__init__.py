"""What the project adds around its apps: middleware, health, files, its own pages."""
