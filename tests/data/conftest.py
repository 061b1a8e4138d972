"""How much memory a reader takes, whatever else the process does."""

import gc
import tracemalloc

import pytest


@pytest.fixture
def most_held():
    """``most_held(call)`` -> the most bytes that were held while it ran, beside those before.

    The collector does not come by, as it comes when it likes; and all is as before, if it raises.
    """

    def bytes_of(call):
        traced, collects = tracemalloc.is_tracing(), gc.isenabled()
        gc.disable()
        tracemalloc.start()
        try:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            call()
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            if not traced:
                tracemalloc.stop()
            if collects:
                gc.enable()

    return bytes_of
