"""What the pure text functions share: the tree walk, image addresses, signs of walls, the child of a pool."""
