"""The declaration of `ragadmin`."""

from vademecum.cli._command import JSON, Argument, Command, Flag

# One flag or argument per line, as in `_programs`.
# fmt: off

_ALIAS = Argument("ALIAS", "The alias of the source")
_TYPES = "man, info, kiwix, tldr, help, records or docs"
RAGADMIN = Command(
    "ragadmin", "Manage the sources and the index of ragman",
    commands=(
        Command("init", "Create missing folders, configuration and catalog, and check the configured models", "vademecum.cli.admin.init:init",
            flags=(
                Flag("--backend", "NAME", "Write the configuration of a backend: builtin, onnx, ollama, openai, gemini, llamacpp:FILE, "
                    "postgres, opensearch, qdrant, weaviate, or several joined by +; NAME:MODEL selects another model"),
                Flag("--store", "URL", "The address of its store; by default a server on this machine", default=""),
                Flag("--print", meaning="Print the configuration without writing anything"),
            ),
        ),
        Command("reindex", "Update the index from its sources", "vademecum.cli.ragadmin:reindex",
            flags=(
                Flag("--source", "ALIAS", "Update only this source; can be repeated", is_repeated=True),
                Flag("--full", meaning="Read everything again"),
                Flag("--background", meaning="Return as soon as there is an index to ask, and read the rest in the background"),
                Flag("--dry-run", meaning="Report what would change without writing anything"),
                Flag("--json", meaning="Print progress and report as JSON, one object per line"),
                Flag("--verbose", meaning="List all problems"),
            ),
        ),
        Command("embed", "Wait until the transformer, which a reindex starts in the background, has embedded all prose",
            "vademecum.cli.ragadmin:embed",
            flags=(JSON,),
        ),
        Command("health", "Check the installation, and report how to fix problems", "vademecum.cli.admin.health:health", flags=(JSON,)),
        Command("sources", "Manage the catalog of sources"),
        Command("sources list", "List the sources and their status", "vademecum.cli.admin.sources:list_sources", flags=(JSON,)),
        Command("sources add", "Add a source, which the next reindex reads", "vademecum.cli.admin.sources:add",
            arguments=(Argument("PATH", "A folder, a document, a ZIM archive, a zip file of tldr pages, or help:PROGRAM"),),
            flags=(
                Flag("--type", "TYPE", f"{_TYPES}; detected by default"),
                Flag("--language", "TAG", "The language (en, pt-BR); by default the one that an archive declares"),
                Flag("--notes", "TEXT", "Notes about the source", default=""),
                JSON,
            ),
        ),
        Command("sources update", "Change the settings of a source, except its alias", "vademecum.cli.admin.sources:update",
            arguments=(_ALIAS,),
            flags=(
                Flag("--type", "TYPE", _TYPES),
                Flag("--location", "PATH", "The new location"),
                Flag("--language", "TAG", "The language"),
                Flag("--status", "STATUS", "error quarantines the source; active and pending end the quarantine"),
                Flag("--notes", "TEXT", "Replace the notes"),
                JSON,
                Flag("--alias", "ALIAS", field="new_alias", is_hidden=True),
            ),
        ),
        Command("sources remove", "Remove a source from the catalog and the index immediately", "vademecum.cli.admin.sources:remove",
            arguments=(_ALIAS,),
            flags=(JSON,),
        ),
        Command("sources show", "Print all details of a source", "vademecum.cli.admin.sources:show", arguments=(_ALIAS,), flags=(JSON,)),
        Command("models", "List and test the configured language models and embedders"),
        Command("models list", "List the configured models, their state, and the models on their servers",
            "vademecum.cli.admin.models:list_models",
            flags=(JSON,),
        ),
        Command("models test", "Have a model answer a question and embed a text", "vademecum.cli.admin.models:test",
            arguments=(Argument("NAME", "A configured model, or PROVIDER:MODEL; by default all configured models", many="?"),),
            flags=(JSON, Flag("--timeout", "S", "The time limit for each call in seconds (60)", kind="seconds", default=60.0)),
        ),
        Command("serve", "Run the background service, which answers from memory", "vademecum.cli.admin.service:serve",
            flags=(Flag("--idle-timeout", "S", "Stop after S seconds without a request", kind="seconds"),),
        ),
        Command("service", "Manage the background service"),
        Command("service install", "Write the systemd units that start the service on demand", "vademecum.cli.admin.service:install",
            flags=(
                Flag("--reindex", meaning="Also reindex when the folders of the sources change"),
                Flag("--print", meaning="Print the units without writing anything"),
            ),
        ),
        Command("service status", "Show whether the service is running", "vademecum.cli.admin.service:status"),
        Command("completion", "Print a shell completion script", "vademecum.cli._completion:completion",
            arguments=(Argument("SHELL", "The shell", choices=("bash", "zsh", "fish")),),
            flags=(Flag("--key", meaning="Print a key binding instead: Alt+M turns the question at the prompt into its line"),),
        ),
    ),
)
