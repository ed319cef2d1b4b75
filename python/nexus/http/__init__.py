"""What every request passes before and after its route: limits, guards, identity, errors, metrics."""
