"""`Parsons`: programs to put in order; questions and exercises are beside this folder."""
