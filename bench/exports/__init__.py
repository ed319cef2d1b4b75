"""What exports of a large library cost."""
