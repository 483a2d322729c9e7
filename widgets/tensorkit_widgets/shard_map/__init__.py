"""ShardMap: which rank holds which block of a sharded tensor, and the messages of a redistribution.

What is sent is planned and carried out by ``tensorkit.distributed``. Nothing is computed here.
"""
