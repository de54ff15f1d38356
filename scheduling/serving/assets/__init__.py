"""Files that are laid into a working directory and run there; nothing here is ever imported by us."""
