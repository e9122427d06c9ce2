"""Keeps the knowledge base in step with the documents in its bucket."""
