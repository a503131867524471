"""How fast convotui is, beside what the machine can do: `python -m benchmarks`."""
