"""Privacy: redaction before writing, retention of every store, erasing that covers them all."""
