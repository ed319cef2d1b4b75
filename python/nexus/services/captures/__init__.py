"""Pages that users save from their browsers as they see them."""
