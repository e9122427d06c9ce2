"""The model's answer is checked before it counts: its claims must stand in the operator's material or the record."""
