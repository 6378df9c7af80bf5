"""The reading side as a Django REST framework project usually has it, on the same models.

Nested ``ModelSerializer`` classes, ``select_related`` and ``prefetch_related``, a
page-number paginator, a django-filter ``FilterSet``.
"""
