"""Checkpoints of sharded tensors: a folder in which each rank has written its own shards, as a file of safetensors.

>>> import tempfile
>>> from tensorkit.distributed import checkpoint
>>> folder, bias = tempfile.mkdtemp(), tk.zeros(2)
>>> checkpoint.save({"model": {"bias": tk.ones(2)}}, checkpoint_id=folder)
>>> checkpoint.load({"model": {"bias": bias}}, checkpoint_id=folder)
>>> bias
tensor([1., 1.])

The folder holds an index, ``sharded.safetensors.index.json``, and the shards in a folder of their own, which no two
saves share. The index is JSON in the manner of Hugging Face's; of each tensor it says the size, the dtype, and which
elements are in which file, as slices::

    {"metadata": {"version": 1, "total_size": 56},
     "weight_map": {"layer.weight": {
       "size": [7, 2], "dtype": "float32",
       "shards": {"0e8e7af39a59d66e/shard-00000-of-00002.safetensors": "0:4, 0:2",
                  "0e8e7af39a59d66e/shard-00001-of-00002.safetensors": "4:7, 0:2"}}}}

A tensor that is whole on several ranks is written by the first of them; one that is `Partial` is added up before. The
index is replaced last, in one step: a save that is interrupted leaves the checkpoint before it, or none. All workers
must see the folder: it is on this computer, or on a file system that they share.

What belongs here: the index, and the tasks that write and read shards. What does not: the format of a file
(``serialization.safetensors``), and how a file replaces another in one step (``process``).

Source: https://docs.pytorch.org/docs/stable/distributed.checkpoint.html
"""

from __future__ import annotations

from tensorkit.distributed.checkpoint.loading import load
from tensorkit.distributed.checkpoint.saving import save

__all__ = ["load", "save"]


def __dir__() -> list[str]:
    return __all__
