"""A package, so that its fixtures can have its scope: one browser and one server for all files of a test process."""
