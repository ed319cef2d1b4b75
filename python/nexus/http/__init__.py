"""What every request passes through before and after its route."""
