"""Judging what a learner wrote: within a time, by what it does, and by what its errors mean.

| module | the question |
|---|---|
| `checking.time_limit` | what if a learner's code never ends? |
| `checking.known_errors` | which misconception is behind an error of the engine? |
| `checking.typed` | what did a person mean who typed `5.0`, `4_000_000` or `tk.zeros(9).nbytes`? |
| `checking.checks` | is a tensor, a number, a layout, a choice the right one, or that of a misconception? |
| `checking.checks_autograd` | the same of gradients, graphs and letters |
| `checking.checks_streams` | the same of waits, streams and copies, on devices that are held or late |
| `checking.functions` | does a function do what it should, or what a misconception would do? |
| `checking.kernels` | does a kernel, traced thread by thread, and which finding names the slip? |
| `checking.on_devices` | what if the check needs CUDA devices, and there are none? |
"""
