"""Language models: turns go in, pieces of a reply come out.

What holds:

- Importing this package loads no provider's library; the first reply, or a warm-up,
  does, and never on the event loop's thread.
- Whatever goes wrong is a `ModelError` whose one line says what to do. It never holds
  a key.
- Closing a reply's generator stops the work behind it at once.
- Nothing is printed, logged or fetched behind the user's back.
"""

from convotui.llm.client import (
    LOCAL_PREFIX,
    ChatClient,
    Endpoint,
    ErrorKind,
    FinishPiece,
    Media,
    ModelError,
    Part,
    Piece,
    Request,
    Text,
    TextPiece,
    Thinking,
    ThinkingPiece,
    ToolCall,
    ToolCallPiece,
    ToolResult,
    Turn,
    UsagePiece,
)

__all__ = [
    "LOCAL_PREFIX",
    "ChatClient",
    "Endpoint",
    "ErrorKind",
    "FinishPiece",
    "Media",
    "ModelError",
    "Part",
    "Piece",
    "Request",
    "Text",
    "TextPiece",
    "Thinking",
    "ThinkingPiece",
    "ToolCall",
    "ToolCallPiece",
    "ToolResult",
    "Turn",
    "UsagePiece",
]
