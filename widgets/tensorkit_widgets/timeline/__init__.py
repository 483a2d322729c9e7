"""Timeline: what the CPU asked of its devices, and when they did it, lane by lane. The engine tells of every event."""
