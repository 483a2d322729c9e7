"""What follows from the answers so far: what is due for review, and the course at a glance.

How the answers are kept does not belong here: that is `session_log` and `progress_file`, one folder up.
"""
