"""The server: waitress in a few processes, with the platform's time limits.

``manage.py serve`` runs ``python -m config.serving``. Any other WSGI server can run
``config.wsgi:application`` instead, behind a proxy that receives whole bodies and buffers
answers.
"""
