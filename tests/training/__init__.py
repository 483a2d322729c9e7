"""Neural networks and what trains them."""
