"""What one would type: examples of every command, for its help and the manual."""

from __future__ import annotations

EXAMPLES = {
    "ask": (
        ("convotui ask 'Why is the sky blue?'", "go on with the newest reply"),
        ("convotui ask -n 'What is WAL?'", "begin a conversation"),
        ("convotui ask -c aB3 'And at night?'", "reply to a message: a fork"),
        ("git diff | convotui ask -n 'Review this.'", "with what is piped in"),
    ),
    "list": (
        ("convotui list", "the whole tree"),
        ("convotui list --roots", "one line a conversation"),
        ("convotui list --filter labelled", "only what has a label"),
    ),
    "print": (
        ("convotui print", "the newest thread"),
        ("convotui print aB3 --json", "the one that leads to a message"),
    ),
    "search": (
        ("convotui search python help", "both words, anywhere"),
        ("convotui search '\"help with Go\"'", "these words in this order"),
    ),
    "label": (
        ("convotui label aB3 'the good one'", "set it"),
        ("convotui label aB3", "print it"),
        ("convotui label aB3 ''", "remove it"),
    ),
    "delete": (
        ("convotui delete lM0", "a message without replies"),
        ("convotui delete --cascade hI7", "one with all below it"),
    ),
    "undo": (("convotui undo", "bring back what was deleted last"),),
    "redo": (("convotui redo", "delete it all the same"),),
    "trash": (
        ("convotui trash list", "what was deleted, newest first"),
        ("convotui trash restore", "bring the newest back"),
        ("convotui trash empty --older-than 30d --yes", "destroy the old"),
    ),
    "clean": (
        ("convotui clean --dry-run", "what nobody touched for a month"),
        ("convotui clean --older-than 2w", "move to the trash"),
    ),
    "export": (
        ("convotui export aB3 -o talk.html", "a thread as a page"),
        ("convotui export hI7 --subtree", "a branch as Markdown"),
        ("convotui export -o all.json", "everything, as a backup"),
        ("convotui export -o all.jsonl", "everything, for git"),
        ("convotui export hI7 --format q -o talk", "for /load of Amazon Q"),
    ),
    "import": (
        ("convotui import --dry-run conversations.json", "only look"),
        ("convotui import conversations.json", "bring in what is new"),
    ),
    "stats": (
        ("convotui stats", "the project, by model and day"),
        ("convotui stats aB3", "one thread, and all below it"),
    ),
    "models": (
        ("convotui models", "what can be asked now"),
        ("convotui models sonnet", "those with such a name"),
        ("convotui models install", "fetch the built-in one"),
    ),
    "doctor": (
        ("convotui doctor", "check the file"),
        ("convotui doctor --repair", "mend what is safe"),
    ),
    "demo": (("convotui demo", "try everything; nothing is kept"),),
    "completion": (
        ('eval "$(convotui completion bash)"', "in ~/.bashrc"),
        ("convotui completion fish | source", "in config.fish"),
    ),
}
"""What to type and what it is for, by command."""


def epilog_of(command: str) -> str:
    """Return the examples of a command as the end of its help."""
    width = max(len(line) for line, _ in EXAMPLES[command])
    lines = [f"  {line:<{width}}  # {text}" for line, text in EXAMPLES[command]]
    # The first character keeps click from filling the lines.
    return "\n".join(("\b", "Examples:", *lines))
