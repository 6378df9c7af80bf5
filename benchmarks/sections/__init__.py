"""The parts of a run; each starts its servers, measures, and returns what it found."""
