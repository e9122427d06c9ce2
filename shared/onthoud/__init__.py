"""Onthoud: a memory that serverless bots can be trusted with.

The package root imports nothing, so that a handler pays only for the modules that it names.
"""

__version__ = "0.1.0"
