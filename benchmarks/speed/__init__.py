"""Time and memory of queries, encoders, fits and files."""
