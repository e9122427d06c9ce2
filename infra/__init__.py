"""Everything around the functions: the local stack, the command line, the demo, the layer's build."""
