"""What does a file that an engineer saved say about a machine? One reader per kind of output, told apart by content."""
