"""The adapters: the only modules that import AWS's, Anthropic's and Upstash's SDKs."""
