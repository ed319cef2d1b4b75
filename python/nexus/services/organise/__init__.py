"""What users do with many entries at once, and what they keep to find them again."""
