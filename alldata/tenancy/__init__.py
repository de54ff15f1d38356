"""Who owns what, who may see it, and who did what when."""
