"""Builds the Lambda layer and the functions' packages."""
