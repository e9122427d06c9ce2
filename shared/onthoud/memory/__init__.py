"""The memories, one module or package each, named by what it remembers."""
