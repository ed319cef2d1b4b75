"""The long drill of imports."""
