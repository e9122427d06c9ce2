"""Text as it comes and goes: platform markup, graphemes, emoji, quoting for prompts, languages, token estimates."""
