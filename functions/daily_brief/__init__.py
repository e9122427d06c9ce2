"""The daily brief: what is on today, what changed since the last one, and how far it can be trusted."""
