"""A probe: does what its messages tell it, and notes what it did."""
