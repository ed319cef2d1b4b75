"""What belongs to kept text though the model does not recognise it."""
