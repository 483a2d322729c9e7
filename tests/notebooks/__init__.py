"""Tests of what the lessons say and hold; that their cells run is nbval's."""
