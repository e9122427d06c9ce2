"""The adapters: the only modules that import an SDK, and they import it at its first use."""
