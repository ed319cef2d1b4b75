"""The numbers that the block model knows of each block."""
