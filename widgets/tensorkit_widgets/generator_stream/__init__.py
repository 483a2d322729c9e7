"""GeneratorStream: a generator's draws as a row, and which call took which of them. The engine's own state is asked."""
