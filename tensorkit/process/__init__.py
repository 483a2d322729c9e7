"""What the system does to the process, and what it asks of the system: forks, interrupts, files, garbage collection."""
