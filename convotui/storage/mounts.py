"""Which file systems are shared over a network, where a write-ahead log cannot work.

It needs memory that all processes share, which those on other machines do not.
"""

from __future__ import annotations

import re
from pathlib import Path

TABLE = Path("/proc/self/mountinfo")
"""Where Linux tells what is mounted. Elsewhere nothing is known."""

# fmt: off
_NETWORK = frozenset({
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "drvfs", "glusterfs",
    "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "orangefs", "prl_fs", "smb3", "smbfs",
    "vboxsf", "virtiofs", "vmhgfs",
})
# fmt: on
_LOCAL_FUSE = frozenset({"fuseblk", "fuse.fuse-overlayfs", "fusectl"})
_ESCAPED = re.compile(r"\\([0-7]{3})")


def network_kind(path: Path) -> str | None:
    """Return the kind of network file system at a path; `None` if none is known."""
    try:
        table = TABLE.read_text(errors="surrogateescape")
        place = path.parent.resolve()
    except (OSError, RuntimeError):
        return None
    kind = _kind_at(table, place)
    is_shared = kind in _NETWORK or (
        kind.startswith("fuse") and kind not in _LOCAL_FUSE
    )
    return kind if is_shared else None


def _kind_at(table: str, place: Path) -> str:
    """Return the kind of file system at a place: of what was mounted nearest, last."""
    found, depth = "", 0
    for line in table.splitlines():
        mount, separator, system = line.partition(" - ")
        fields = mount.split(" ")
        if not separator or len(fields) < 5:
            continue
        point = Path(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4]))
        if place.is_relative_to(point) and len(point.parts) >= depth:
            found, depth = system.split(" ")[0], len(point.parts)
    return found
