"""A feed: fetched politely, parsed in a child, its episodes told apart and chosen."""
