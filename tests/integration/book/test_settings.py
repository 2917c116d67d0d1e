"""The environment variables of the book desk: their defaults, their limits, and what is wrong with a bad one."""

import pytest

from vademecum.core.errors import ConfigError
from vademecum.desks.book.settings import BookSettings, books_store, settings_from


def test_nothing_set_is_nobody_but_the_book():
    assert settings_from({}) == BookSettings()
    settings = settings_from({"PATH": "/bin", "OPENAI_API_KEY": "  "})
    assert settings.models == ()
    assert settings.similarity_threshold is None
    assert (settings.top_k, settings.max_tokens, settings.max_question_tokens) == (3, 3000, 2000)
    assert (settings.model_timeout_s, settings.retries) == (30.0, 3)
    assert (settings.reply_tokens, settings.temperature) == (1000, 0.3)


@pytest.mark.parametrize(
    ("variable", "value", "field", "expected"),
    [
        ("RETRIEVAL_TOP_K", "10", "top_k", 10),
        ("RETRIEVAL_SIMILARITY_THRESHOLD", "0.5", "similarity_threshold", 0.5),
        ("RETRIEVAL_MAX_TOKENS", "500", "max_tokens", 500),
        ("OPENAI_TIMEOUT", "2.5", "model_timeout_s", 2.5),
        ("SERVICE_MAX_QUESTION_TOKENS", "100", "max_question_tokens", 100),
        ("SERVICE_RETRY_ATTEMPTS", "0", "retries", 0),
        ("ASK_TIMEOUT", "5", "timeout_s", 5.0),
        ("ASK_CACHE", "0", "cached", 0),
    ],
)
def test_a_variable_takes_effect(variable, value, field, expected):
    assert getattr(settings_from({variable: f" {value} "}), field) == expected


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RETRIEVAL_TOP_K", "0"),
        ("RETRIEVAL_TOP_K", "11"),
        ("RETRIEVAL_TOP_K", "3.5"),
        ("RETRIEVAL_SIMILARITY_THRESHOLD", "nan"),
        ("RETRIEVAL_SIMILARITY_THRESHOLD", "1.1"),
        ("RETRIEVAL_MAX_TOKENS", "-1"),
        ("RETRIEVAL_MAX_TOKENS", "many"),
        ("OPENAI_TIMEOUT", "inf"),
        ("SERVICE_MAX_QUESTION_TOKENS", ""),
        ("SERVICE_RETRY_ATTEMPTS", "-1"),
        ("ASK_TIMEOUT", "later"),
        ("ASK_CACHE", "x" * 10_000),
    ],
)
def test_a_bad_variable_is_named(variable, value):
    if not value:
        assert settings_from({variable: value}) == BookSettings()
        return
    with pytest.raises(ConfigError, match=variable) as caught:
        settings_from({variable: value})
    assert len(caught.value.message) < 300


def test_a_key_alone_means_the_usual_model():
    (model,) = settings_from({"OPENAI_API_KEY": "sk-secret"}).models
    assert (model.provider, model.model, model.timeout_s, model.retries) == ("openai", "gpt-4-turbo", 30.0, 3)
    assert "sk-secret" not in repr(model)


def test_several_models_are_asked_in_turn():
    said = {"OPENAI_MODEL": "gpt-4-turbo, gpt-4o-mini,ollama:gemma3:1b"}
    models = settings_from(said).models
    assert [(one.provider, one.model) for one in models] == [
        ("openai", "gpt-4-turbo"),
        ("openai", "gpt-4o-mini"),
        ("ollama", "gemma3:1b"),
    ]
    with pytest.raises(ConfigError, match="OPENAI_MODEL"):
        settings_from({"OPENAI_MODEL": " , "})


def test_books_are_in_files_unless_a_store_is_named():
    assert books_store({}) == books_store({"QDRANT_URL": " ", "QDRANT_COLLECTION_NAME": "x"}) == ""
    assert books_store({"BOOKS_STORE": "postgresql://u@h/d"}) == "postgresql://u@h/d"


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ({"QDRANT_URL": "http://localhost:6333"}, "qdrant://localhost:6333/rag_embedding?timeout=5"),
        (
            {"QDRANT_URL": "https://c.qdrant.io/", "QDRANT_COLLECTION_NAME": "book", "QDRANT_TIMEOUT": "0.5"},
            "qdrant+https://c.qdrant.io/book?timeout=1",
        ),
        ({"QDRANT_URL": "http://[::1]:6333"}, "qdrant://[::1]:6333/rag_embedding?timeout=5"),
    ],
)
def test_qdrant_is_named_as_its_vendor_does(said, address):
    assert books_store(said) == address


@pytest.mark.parametrize(
    "said",
    [
        {"QDRANT_URL": "http://localhost:6333", "BOOKS_STORE": "postgresql://u@h/d"},
        {"QDRANT_URL": "localhost:6333"},
        {"QDRANT_URL": "http://hunter2@localhost:6333"},
        {"QDRANT_URL": "http://h/collections/x"},
        {"QDRANT_URL": "http://h?key=hunter2"},
        {"QDRANT_URL": "http://[::1"},
        {"QDRANT_URL": "http://h", "QDRANT_COLLECTION_NAME": "-x"},
        {"QDRANT_URL": "http://h", "QDRANT_TIMEOUT": "0"},
        {"QDRANT_URL": "http://h", "QDRANT_TIMEOUT": "soon"},
        {"BOOKS_STORE": "mysql://u:hunter2@h/d"},
    ],
)
def test_a_store_of_books_that_cannot_be_used(said):
    with pytest.raises(ConfigError) as caught:
        books_store(said)
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.hint
