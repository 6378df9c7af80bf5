"""iCalendar feeds (RFC 5545): the stored texts of records, streamed batch by batch."""
