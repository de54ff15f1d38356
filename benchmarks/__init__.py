"""How fast and how right is it? One module per question, each prints JSON."""
