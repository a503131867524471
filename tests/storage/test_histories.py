"""Any sequence of changes leaves a sound forest, and the one it should leave."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from convotui.storage import HasRepliesError, MessageId, NothingToUndoError, Store

from .helpers import draft, is_whole, rows


@dataclass(frozen=True)
class Known:
    """What a message is known to be."""

    parent: MessageId | None
    text: str
    title: str | None = None


State = dict[MessageId, Known]


@dataclass
class Model:
    """The store in plain dictionaries: what is there, and what was there before."""

    messages: State = field(default_factory=dict)
    done: list[tuple[State, State]] = field(default_factory=list)
    undone: list[tuple[State, State]] = field(default_factory=list)

    def below(self, message_id: MessageId) -> set[MessageId]:
        found = {message_id}
        grew = True
        while grew:
            more = {
                reply
                for reply, known in self.messages.items()
                if known.parent in found and reply not in found
            }
            found |= more
            grew = bool(more)
        return found

    def change(self, removed: State, put: State) -> None:
        """Take some messages away and put others; remember both."""
        self.apply(removed, put)
        self.done.append((removed, put))
        self.undone.clear()

    def apply(self, removed: State, put: State) -> None:
        for message_id in removed:
            del self.messages[message_id]
        self.messages.update(put)


class Histories(RuleBasedStateMachine):
    ids = Bundle("ids")

    @initialize()
    def begin(self) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name, ".cpeconvo")
        self.store = Store(self.path)
        self.model = Model()

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.directory.cleanup()

    @rule(target=ids, text=st.text(max_size=5))
    def save_root(self, text: str) -> MessageId:
        return self.save(text, None)

    @rule(target=ids, text=st.text(max_size=5), parent=ids)
    def save_reply(self, text: str, parent: MessageId) -> MessageId:
        # What comes below a message that was brought back goes with it again on
        # redo, which these dictionaries cannot know.
        possible = parent in self.model.messages and not self.model.undone
        return self.save(text, parent if possible else None)

    def save(self, text: str, parent: MessageId | None) -> MessageId:
        [message_id] = self.store.save([draft(text, parent)])
        self.model.messages[message_id] = Known(parent, text)
        return message_id

    @rule(message_id=ids, title=st.sampled_from([None, "one", "two"]))
    def label(self, message_id: MessageId, title: str | None) -> None:
        known = self.model.messages.get(message_id)
        if known is None:
            return
        change = self.store.label(message_id, title)
        assert (change is None) == (known.title == title)
        if change is not None:
            after = replace(known, title=title)
            self.model.change({message_id: known}, {message_id: after})

    @rule(message_id=ids, recursive=st.booleans())
    def delete(self, message_id: MessageId, recursive: bool) -> None:
        if message_id not in self.model.messages:
            assert self.store.delete([message_id], recursive=recursive) is None
            return
        doomed = self.model.below(message_id)
        if len(doomed) > 1 and not recursive:
            try:
                self.store.delete([message_id])
            except HasRepliesError:
                return
            raise AssertionError("a message went without its replies")
        change = self.store.delete([message_id], recursive=recursive)
        assert change is not None
        assert change.message_count == len(doomed)
        self.model.change({id_: self.model.messages[id_] for id_ in doomed}, {})

    @rule()
    def undo(self) -> None:
        try:
            self.store.undo()
        except NothingToUndoError:
            assert self.model.done == []
            return
        removed, put = self.model.done.pop()
        self.model.apply(put, removed)
        self.model.undone.append((removed, put))

    @rule()
    def redo(self) -> None:
        try:
            self.store.redo()
        except NothingToUndoError:
            assert self.model.undone == []
            return
        removed, put = self.model.undone.pop()
        self.model.apply(removed, put)
        self.model.done.append((removed, put))

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = Store(self.path)

    @invariant()
    def the_store_is_what_the_model_is(self) -> None:
        found = {
            message.id: Known(message.parent_id, message.text, message.title)
            for message in self.store.list_messages()
        }
        assert found == self.model.messages
        assert set(self.store.outline().ids) == set(found)

    @invariant()
    def the_file_is_sound(self) -> None:
        if not self.path.exists():
            return
        assert self.store.health().is_sound
        assert is_whole(self.path)
        strays = (
            "SELECT 1 FROM blocks WHERE message_id NOT IN (SELECT id FROM messages)"
        )
        assert rows(self.path, strays) == []


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=40, stateful_step_count=25, deadline=None
)
