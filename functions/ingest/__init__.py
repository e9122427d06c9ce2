"""Ingest: events from EventBridge and SNS, in whatever envelopes, onto the FIFO queues in their customer's order."""
