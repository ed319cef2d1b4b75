"""A feed: fetched, parsed in a child process, its episodes identified and selected."""
