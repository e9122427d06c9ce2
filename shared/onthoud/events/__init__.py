"""The events that bots take, as pydantic models at the edge, and the envelopes they come in."""
