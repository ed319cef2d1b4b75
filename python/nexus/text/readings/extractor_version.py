"""Which extractor reads pages: by itself, because a server that reads none wants to know it, too."""

# Raised with each change after which some pages are read differently: a version of a text says which one read it.
EXTRACTOR = 1
