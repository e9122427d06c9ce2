"""The command line, `onthoud ...`."""
