"""The functions that wait, for asyncio. Cancellation and Ctrl-C end the command, as `break` and Ctrl-C do elsewhere."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncIterator, Callable, Iterator, TypeVar

T = TypeVar("T")
_END = object()


async def run_in_thread(work: Callable[[threading.Event], T]) -> T:
    """Runs `work` in a thread of its own. If the task is cancelled, sets the event, which has to end the work."""
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="derivs") as executor:
        future = asyncio.get_running_loop().run_in_executor(executor, work, stop)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            # Nobody receives the outcome any more.
            future.add_done_callback(lambda ended: ended.exception())
            stop.set()
            raise


async def iterate_in_thread(records: Callable[[threading.Event], Iterator[T]]) -> AsyncIterator[T]:
    """Yields what an iterator returns, whose steps run in a thread of their own."""
    stop = threading.Event()
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="derivs") as executor:
        iterator = records(stop)
        try:
            while True:
                step: Any = loop.run_in_executor(executor, next, iterator, _END)
                record = await asyncio.shield(step)
                if record is _END:
                    return
                yield record
        finally:
            # The executor waits for the step that is running, which ends within a fraction of a second.
            stop.set()
            close: Any = getattr(iterator, "close", None)
            if close is not None:
                executor.submit(close)
