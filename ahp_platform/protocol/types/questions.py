"""What may an agent ask, and what are the answers?"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.values import URI


class ChatInputOption(TypedDict):
    id: str
    label: str
    description: NotRequired[str]
    recommended: NotRequired[bool]


class ChatInputQuestionBase(TypedDict):
    id: str
    title: NotRequired[str]
    message: str
    required: NotRequired[bool]


class ChatInputTextQuestion(ChatInputQuestionBase):
    kind: Literal["text"]
    format: NotRequired[str]
    min: NotRequired[float]
    max: NotRequired[float]
    defaultValue: NotRequired[str]


class ChatInputNumberQuestion(ChatInputQuestionBase):
    kind: Literal["number", "integer"]
    min: NotRequired[float]
    max: NotRequired[float]
    defaultValue: NotRequired[float]


class ChatInputBooleanQuestion(ChatInputQuestionBase):
    kind: Literal["boolean"]
    defaultValue: NotRequired[bool]


class ChatInputSingleSelectQuestion(ChatInputQuestionBase):
    kind: Literal["single-select"]
    options: list[ChatInputOption]
    allowFreeformInput: NotRequired[bool]


class ChatInputMultiSelectQuestion(ChatInputQuestionBase):
    kind: Literal["multi-select"]
    options: list[ChatInputOption]
    allowFreeformInput: NotRequired[bool]
    min: NotRequired[float]
    max: NotRequired[float]


class ChatInputRequest(TypedDict):
    id: str
    message: NotRequired[str]
    url: NotRequired[URI]
    questions: NotRequired[list[ChatInputQuestion]]
    answers: NotRequired[dict[str, ChatInputAnswer]]


class ChatInputTextAnswerValue(TypedDict):
    kind: Literal["text"]
    value: str


class ChatInputNumberAnswerValue(TypedDict):
    kind: Literal["number"]
    value: float


class ChatInputBooleanAnswerValue(TypedDict):
    kind: Literal["boolean"]
    value: bool


class ChatInputSelectedAnswerValue(TypedDict):
    kind: Literal["selected"]
    value: str
    freeformValues: NotRequired[list[str]]


class ChatInputSelectedManyAnswerValue(TypedDict):
    kind: Literal["selected-many"]
    value: list[str]
    freeformValues: NotRequired[list[str]]


class ChatInputAnswered(TypedDict):
    state: Literal["draft", "submitted"]
    value: ChatInputAnswerValue


class ChatInputSkipped(TypedDict):
    state: Literal["skipped"]
    freeformValues: NotRequired[list[str]]


ChatInputQuestion = Annotated[
    ChatInputTextQuestion
    | ChatInputNumberQuestion
    | ChatInputBooleanQuestion
    | ChatInputSingleSelectQuestion
    | ChatInputMultiSelectQuestion,
    OPEN,
]
ChatInputAnswer = ChatInputAnswered | ChatInputSkipped
ChatInputAnswerValue = (
    ChatInputTextAnswerValue
    | ChatInputNumberAnswerValue
    | ChatInputBooleanAnswerValue
    | ChatInputSelectedAnswerValue
    | ChatInputSelectedManyAnswerValue
)
ChatInputResponseKind = Literal["accept", "decline", "cancel"]
