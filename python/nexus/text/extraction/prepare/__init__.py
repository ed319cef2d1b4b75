"""Rules that turn a parsed page into ordinary HTML before its blocks are collected."""
