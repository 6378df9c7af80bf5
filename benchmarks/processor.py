"""Instructions of this thread, counted by the processor (Linux, ``perf_event_open``).

Virtual machines often have no such counter, and containers often may not read it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# linux/perf_event.h; the numbers of the call are those of asm/unistd.h.
SYSTEM_CALL: Final = {"x86_64": 298, "aarch64": 241}
INSTRUCTIONS: Final = (0, 1)
"""PERF_TYPE_HARDWARE and PERF_COUNT_HW_INSTRUCTIONS."""
PAGE_FAULTS: Final = (1, 2)
"""PERF_TYPE_SOFTWARE and PERF_COUNT_SW_PAGE_FAULTS, which every machine counts."""
SIZE: Final = 64
WITHOUT_KERNEL_AND_HYPERVISOR: Final = 1 << 5 | 1 << 6


@contextlib.contextmanager
def counting(event: tuple[int, int] = INSTRUCTIONS) -> Iterator[Callable[[], int] | None]:
    """Yield a function that returns the count so far, ``None`` where there is none."""
    kind, config = event
    number = SYSTEM_CALL.get(platform.machine())
    if number is None:
        yield None
        return
    attributes = struct.pack("=IIQQQQQ", kind, SIZE, config, 0, 0, 0, 0)[:40]
    attributes += struct.pack("=Q", WITHOUT_KERNEL_AND_HYPERVISOR) + bytes(16)
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(number, attributes, 0, -1, -1, 0)
    if descriptor < 0:
        yield None
        return
    try:
        yield lambda: int.from_bytes(os.read(descriptor, 8), "little")
    finally:
        os.close(descriptor)
