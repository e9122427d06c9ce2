"""The local stack: the real template on loopback, with a control interface for tests and operators."""
