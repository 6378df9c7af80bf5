"""OpenAPI: the operations, what is around their answers, and the document at ``/doc``."""
