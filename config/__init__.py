"""The project: settings, addresses, and what joins the three apps."""

__version__ = "1.0.0"  # that of pyproject.toml, which is not installed with the code
