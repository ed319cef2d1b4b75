"""How fast a library is archived and restored, and with how much memory."""
