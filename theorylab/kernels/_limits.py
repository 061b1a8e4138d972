"""The largest sizes that are taken. What is refused here would only end for want of memory or time.

A size below its limit may still be too large for a machine: MemoryError, in one line.
"""

from __future__ import annotations

MOST_BATCH = 2**24  # rows of one minibatch: their numbers take 128 MiB a thread
MOST_CLIENTS = 2**24
MOST_DIM = 2**31  # coordinates of one model
MOST_STEPS = 2**32 - 1  # local steps of a round: a word of Philox's counter
