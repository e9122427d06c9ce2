"""Tests of template.yaml: what SAM makes of it, and what must hold for that."""
