"""What hardware is and what workloads want: dimensions, RCDL, the knowledge base, profiles."""
