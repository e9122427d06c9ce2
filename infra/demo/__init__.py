"""The demo: several days of the bots on bundled real input, and what each memory changed. One module per scene."""
