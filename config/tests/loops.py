"""Event loops of their own, also where a browser test left one running in the thread."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run(main):
    """Run a coroutine in a new loop, in a thread of its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, main).result()
