"""The operator's side: feeds, configuration, and jobs that outlive the server that started them."""
