"""The words in which lists are asked for, on ordinary QuerySets (``Event.objects``)."""
