"""Files and processes of the operating system: locks, atomic writes, descendants, accounts. Knows nothing of Nexus."""
