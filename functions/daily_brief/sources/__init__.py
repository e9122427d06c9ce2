"""What the brief reads, one module per kind of source. Each keeps to `onthoud.ports.source`."""
