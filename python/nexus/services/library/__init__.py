"""What a user sees of their saves: the shelf, receipts, figures."""
