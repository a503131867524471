"""What stands in the way of a program: permissions that hold, and a full disk."""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Callable

_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH, _CAP_FOWNER = 1, 2, 3


def obey_permissions() -> None:
    """Have permissions hold for root too, in the program that is run next."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for right in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH, _CAP_FOWNER):
            if libc.prctl(_PR_CAPBSET_DROP, right, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "cannot drop a right of root")


def let_no_file_exceed(size: int) -> Callable[[], None]:
    """As on a full disk, let no file grow beyond a size in the program run next."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
