"""The knowledge base: what the world is like, from the operator's documents. Holds nothing of any customer."""
