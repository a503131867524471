"""Files that a disk, a cable or a person has damaged, as many as are wanted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from convotui.storage import Arrival, Block, ReplyFacts, StorageError, Store
from tests.storage.helpers import LOOKS, chain

FIXTURES = Path(__file__).parent.parent / "fixtures"


def used_store(path: Path) -> bytes:
    """Return a file in which convotui has used all of its tables."""
    with Store(path) as store:
        ids = store.save(chain([f"hello {number} " * 30 for number in range(80)]))
        store.set_facts(ids[1], ReplyFacts("m", cost=0.5))
        store.label(ids[0], "a label")
        store.delete(ids[70:71], recursive=True)
        store.origins.take_in("s", "c", [Arrival("k", "user", [Block("imported")])])
    return path.read_bytes()


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """Return a file that a disk, a cable or a person has changed."""
    held = bytearray(whole)
    start = chance.randrange(len(held))
    match chance.randrange(4):
        case 0:
            for _ in range(chance.randrange(1, 60)):
                held[chance.randrange(len(held))] = chance.randrange(256)
        case 1:
            del held[max(start, 100) :]
        case 2:
            size = len(held[start : start + chance.randrange(1, 5000)])
            held[start : start + size] = chance.randbytes(size)
        case _:
            start, other = start // 512 * 512, chance.randrange(len(held) // 512) * 512
            held[start : start + 512] = held[other : other + 512]
    return bytes(held)


def open_damaged(directory: Path, seeds: range) -> Counter[str]:
    """Look at damaged files in every way, then write to them; none may be harmed."""
    fixtures = [file.read_bytes() for file in FIXTURES.glob("*.cpeconvo")]
    wholes = [used_store(directory / "whole"), *fixtures]
    figures: Counter[str] = Counter(files=0, refused=0, escaped=0, changed=0)
    for seed in seeds:
        chance = random.Random(seed)
        path = directory / f"file{seed}"
        path.write_bytes(held := damaged(chance.choice(wholes), chance))
        figures["files"] += 1
        with Store(path) as store:
            figures.update(_outcome(look, store) for look in LOOKS.values())
        figures["changed"] += path.read_bytes() != held
        with Store(path) as store:
            figures.update(_outcome(use, store) for use in USES)
        for file in directory.glob(f"file{seed}*"):
            file.unlink()
    return figures


def _outcome(use: Callable[[Store], object], store: Store) -> str:
    try:
        use(store)
    except StorageError:
        return "refused"
    except Exception:  # noqa: BLE001
        return "escaped"
    return "done"


def _save(store: Store) -> object:
    return store.save(chain(["more", "words"]))


def _delete(store: Store) -> object:
    return store.delete(store.outline().ids[:1], recursive=True)


USES = (_save, Store.undo, _delete, Store.repair, Store.empty_trash)
