"""What is this machine? One reader per kind of part, all under a root that may be a recording."""
