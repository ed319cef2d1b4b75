"""What the program does with its rows. Services flush; whoever opened the transaction commits."""
