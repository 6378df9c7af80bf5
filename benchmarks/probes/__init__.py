"""Views that do nothing but ask who is calling: what authentication alone costs."""
