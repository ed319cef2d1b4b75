"""What the program does with its rows. Services flush; the caller that opened the transaction commits."""
