"""Maintenance: what has to be done on a schedule so that nothing is left half done."""
