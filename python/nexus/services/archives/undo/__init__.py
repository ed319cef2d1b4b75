"""What a restored archive changed, so that it can be taken back."""
