"""The memories, one module each: working (the window), profile, alerts, knowledge, recall."""
