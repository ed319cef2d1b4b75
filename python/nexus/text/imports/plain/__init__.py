"""Formats without a structure of their own: lists of links, folders of notes and of saved pages."""
