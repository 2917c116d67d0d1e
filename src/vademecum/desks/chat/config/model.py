"""The configuration in its normal form, as Pydantic models. They define the schema of the file.

The descriptions of the fields are the reference: the JSON Schema is generated from them.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from vademecum.core.settings import AnswerStyle
from vademecum.desks.chat.profile import FIELDS, Result

MOST_RULES = 5000
MOST_LLMS = 200
MOST_SERVICES = 200
EXTRACTIVE = "extractive"
DEFAULT_MAX_TOKENS = 500
COMPARISONS = r"^\s*(?:>=?|<=?)\s*[0-9.]+\s*(?:,\s*(?:>=?|<=?)\s*[0-9.]+\s*)*$"
"""The pattern of a comparison in a rule, such as `> 0.5` or `>= 0.2, < 0.5`."""


def _no_switch(value: object) -> object:
    """Reject true and false, which Pydantic accepts as 1 and 0."""
    if isinstance(value, bool):
        raise ValueError("it must be a number, not true or false")  # noqa: TRY004 - what Pydantic expects
    return value


Number = Annotated[float, BeforeValidator(_no_switch), Field(allow_inf_nan=False)]
Whole = Annotated[int, BeforeValidator(_no_switch)]
Distance = Annotated[Number, Field(ge=0, le=2)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=100_000)]


class Section(BaseModel):
    """The base of all sections: immutable, and without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Llm(Section):
    """A provider of language models, under a name that rules use."""

    type: Name = Field(
        description="`extractive` (quotes the documents without a model), `ollama`, `openai` (and compatible servers), `gemini`, `llamacpp`, or a provider of another package. `provider` is an alias."
    )
    base_url: str = Field(
        default="", description="The address of the server; by default that of the provider."
    )
    api_key: str = Field(
        default="",
        description="`${NAME}`, where NAME is the environment variable that holds the key; never the key itself.",
    )
    default_model: str = Field(default="", description="The model of rules without one.")
    models: tuple[Name, ...] = Field(
        default=(), description="The available models. If given, rules can use only these."
    )
    context_tokens: Annotated[Whole, Field(ge=64, le=100_000_000)] | None = Field(
        default=None, description="The maximum number of tokens of prompt and reply together."
    )
    timeout_s: Annotated[Number, Field(gt=0, le=86_400)] = Field(
        default=120.0, description="The timeout of a call with its retries, in seconds."
    )
    stall_s: Annotated[Number, Field(gt=0, le=86_400)] = Field(
        default=60.0, description="The maximum pause in a reply, in seconds."
    )
    retries: Annotated[Whole, Field(ge=0, le=20)] = Field(
        default=3, description="The number of retries of a failed call."
    )
    proxy: str = Field(default="", description="A proxy's URL.")
    ca_file: str = Field(default="", description="Certificates to trust in addition to the system's.")
    threads: Annotated[Whole, Field(ge=1, le=1024)] | None = Field(
        default=None, description="The number of threads of a model in this process."
    )
    calls: Annotated[Whole, Field(ge=1, le=10_000)] | None = Field(
        default=None,
        description="The maximum number of concurrent calls from one process; by default 1 to a model in this process, 2 to one on this machine, and 32 to any other.",
    )
    wait_s: Annotated[Number, Field(ge=0, le=86_400)] | None = Field(
        default=None,
        description="The maximum time that further calls wait, in seconds (5). The answer is then that without a model.",
    )


class Embedding(Section):
    """The model that converts questions into vectors, for services that do not do so themselves."""

    model: Name = Field(
        description="The embedding model; `builtin`, without an llm, is the built-in word table."
    )
    llm: str = Field(default="", description="The llm that runs it.")


class Service(Section):
    """A place with collections. Without `collection` it is dynamic: users choose from its collections."""

    type: Literal["local", "chromadb-wrapper", "chromadb"] = Field(
        description="The transport: `local` for collections on this machine, otherwise an HTTP server. `provider` is an alias."
    )
    match_threshold: Distance | None = Field(
        default=None,
        description="The distance below which a document is a match. Optional for a `local` service: without it, answerability is used, which is comparable between collections of any size.",
    )
    partial_threshold: Distance | None = Field(
        default=None,
        description="The distance below which a document that is not a match is partial. `candidate_threshold` is an alias.",
    )
    url: str = Field(default="", description="The server's address; not for `local`.")
    collection: Name | None = Field(
        default=None, description="The collection to query; by default, users select among all."
    )
    intent_identifier: str = Field(
        default="",
        max_length=200,
        description="A prefix that is added to the collection's name to form the intent of a match.",
    )
    query_mode: Literal["first", "all"] = Field(
        default="first",
        description="`first`: collections are queried in order, until one matches. `all`: all collections are queried concurrently.",
    )
    top_k: Annotated[Whole, Field(ge=1, le=50)] = Field(
        default=5, description="The number of documents to retrieve from a collection."
    )
    description: Annotated[str, Field(max_length=2000)] = Field(
        default="", description="A description for the intent model, for collections without one."
    )
    embedding: Embedding | None = Field(
        default=None, description="Overrides the global setting; only for `chromadb`."
    )
    tenant: Name = Field(default="default_tenant", description="For `chromadb` only.")
    database: Name = Field(default="default_database", description="For `chromadb` only.")


class IntentProvider(Section):
    """The model that detects the intent of a question."""

    llm: str = Field(description="The llm that classifies questions.")
    model: str = Field(default="", description="Its model; by default the llm's `default_model`.")


class Intent(Section):
    """Detection of the intent of a question whose documents do not determine it."""

    provider: IntentProvider = Field(description="The model that classifies questions.")
    detection: dict[Name, Text] = Field(
        default_factory=dict,
        max_length=200,
        description="The possible intents: a mapping of names to one-sentence descriptions. Partial collections and `other` are always offered, too.",
    )


class Rule(Section):
    """How to answer the questions that the rule matches. The first rule that matches is used."""

    match: dict[str, Any] = Field(
        default_factory=dict,
        description="The conditions that must all hold; without any, the rule always matches. Each key is a profile field with a value or a list of values, or a field with the suffix `_regexp`.",
    )
    prompt: Text = Field(default="", description="The system prompt, with variables.")
    static_response: Text | None = Field(
        default=None, description="The answer itself, with variables; no model is called."
    )
    llm: str = Field(default=EXTRACTIVE, description="The llm that answers.")
    model: str = Field(
        default="", description="Its model, or one variable; by default the llm's `default_model`."
    )
    style: AnswerStyle | None = Field(
        default=None,
        description="`choose`: the model chooses quotations from the documents. `prose`: it writes the answer, and every sentence is checked. By default `prose` if the rule has a prompt, otherwise `choose`.",
    )
    models: tuple[Name, ...] = Field(
        default=(), max_length=100, description="The models that users can choose."
    )
    max_tokens: Annotated[Whole, Field(ge=1, le=1_000_000)] | str = Field(
        default=DEFAULT_MAX_TOKENS, description="The maximum length of an answer: a number, or one variable."
    )
    temperature: Annotated[Number, Field(ge=0, le=5)] | str | None = Field(
        default=None,
        description="The sampling temperature: a number, or one variable; by default that of the model.",
    )
    context: Literal["auto", "none"] = Field(
        default="auto",
        description="`auto` appends documents that the prompt does not include; `none` does not.",
    )


class Configuration(Section):
    """A chat configuration."""

    llms: dict[Name, Llm] = Field(
        default_factory=dict,
        max_length=MOST_LLMS,
        description="Model providers by name; `extractive` always exists.",
    )
    rag_services: dict[Name, Service] = Field(
        default_factory=dict, max_length=MOST_SERVICES, description="Services with collections, by name."
    )
    intent: Intent | None = Field(
        default=None,
        description="The classification of questions. `intent_detection: {llm, model}` is an alias of `intent.provider`.",
    )
    embedding: Embedding | None = Field(
        default=None, description="The embedding of services without their own."
    )
    responses: tuple[Rule, ...] = Field(
        min_length=1, max_length=MOST_RULES, description="The rules; the last one has no `match`."
    )

    def llm(self, name: str) -> Llm:
        """Return the llm with this name, or extractive if there is none."""
        return self.llms[name] if name in self.llms else Llm(type=EXTRACTIVE)

    def to_dict(self) -> dict[str, Any]:
        """Return the normal form as plain data, without default values."""
        return self.model_dump(mode="json", exclude_defaults=True)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the normal form, with all keys of `match`, and with comments allowed."""
    made = Configuration.model_json_schema()
    for section in (made, *made["$defs"].values()):
        section["properties"]["comment"] = {"type": "string", "description": "A comment, which is ignored."}
    plain = {"type": ["string", "number", "null"]}
    exact = {"anyOf": [plain, {"type": "array", "items": plain}]}
    result: dict[str, Any] = {"enum": ["match", "partial", "none", "any", "candidate", True, False]}
    results = {"anyOf": [result, {"type": "array", "items": result}]}
    keys: dict[str, Any] = dict.fromkeys(FIELDS, exact)
    keys |= {
        "answerability": {"anyOf": [{"type": "string", "pattern": COMPARISONS}, {"type": "number"}]},
        "rag_result": results,
        "rag_results": results,
        "intent_any": exact,
        "comment": {"type": "string"},
    }
    keys |= {f"{name}_regexp": {"type": "string"} for name in FIELDS}
    made["$defs"]["Rule"]["properties"]["match"] |= {"properties": keys, "additionalProperties": False}
    for name, alias, of in (
        ("Llm", "provider", "type"),
        ("Service", "provider", "type"),
        ("Service", "candidate_threshold", "partial_threshold"),
    ):
        properties = made["$defs"][name]["properties"]
        properties[alias] = properties[of] | {"description": f"An alias of `{of}`."}
    for name in ("Llm", "Service"):
        needed = made["$defs"][name]["required"]
        needed.remove("type")
        made["$defs"][name]["anyOf"] = [{"required": ["type"]}, {"required": ["provider"]}]
    intent = {
        "anyOf": [made["properties"]["intent"]["anyOf"][0], made["$defs"]["IntentProvider"]],
        "description": "An alias of `intent`.",
    }
    made["properties"]["intent_detection"] = intent
    made["properties"]["$schema"] = {"type": "string"}
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    made["title"] = "Vademecum chat configuration"
    return made


RESULT_VALUES: tuple[Result, ...] = ("match", "partial", "none")
