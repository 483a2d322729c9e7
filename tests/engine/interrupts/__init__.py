"""An interrupt at any point: `interrupt_points` looks at what is left."""
