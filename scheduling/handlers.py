"""What scheduling does when it hears a fact: database work and wake-ups, nothing else."""
