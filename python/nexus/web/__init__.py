"""Everything that goes out to the web: egress, fetching, rendering in a browser, and the URLs themselves."""
