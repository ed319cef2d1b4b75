"""Exports of other programs: recognised by their content, read into the records of `records.py`."""
