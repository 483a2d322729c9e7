"""What follows from the answers: the export, and the test before and after the course."""
