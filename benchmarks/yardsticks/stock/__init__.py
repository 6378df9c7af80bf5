"""A Django project with django-oauth-toolkit as its documentation sets it up."""
