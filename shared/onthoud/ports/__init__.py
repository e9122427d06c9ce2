"""The ports: small Protocols behind which the world lies. Logic imports these, never an SDK."""
