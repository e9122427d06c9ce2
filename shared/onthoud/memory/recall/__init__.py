"""Recall: finding what is relevant now, in past conversation and in the knowledge base."""
