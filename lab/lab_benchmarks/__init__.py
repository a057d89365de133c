"""Measurements of the laboratory, started from `lab/`."""
