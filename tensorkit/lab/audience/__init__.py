"""The audience plays along: phones in the room show the scene that is on the stage, and answer its questions.

`tensorkit present LESSON --audience` starts a second process with a server of its own (`tensorkit.lab.audience.site`).
It listens at one address of the local network, knows nothing of Jupyter, and cannot write a file.

How a picture gets to the phones, and a count back:

1. JupyterLab's extension (``talk/labextensions``, ``audience.js``) reads from the presenter's page what is on the
   stage and what is asked, and sends it to Jupyter's server, with Jupyter's token, as everything in that page is sent.
2. `tensorkit.lab.audience.presenter` (a Jupyter server extension) writes it as a line into the standard input of the
   second process: `tensorkit.lab.audience.relay` holds that pipe. It needs no port and no secret that could be found.
3. The second process writes counts, and nothing but counts, to its standard output. When the pipe is closed, it ends:
   the audience's server never outlives the talk.

A phone sends one number for one question (`tensorkit.lab.audience.room`); how often, and how many phones, is
limited (`tensorkit.lab.audience.limits`). The answers stay in memory, and end with the talk.
"""
