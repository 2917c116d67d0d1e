"""What is loaded, and when: parts that a call does not need cost it nothing."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "spec", "extra"),
    [("httpx2", "ollama:m", "[models]"), ("xllamacpp", "llamacpp:m", "[llamacpp]")],
)
def test_what_is_not_installed_is_said_with_the_way_to_get_it(module, spec, extra, tmp_path):
    (tmp_path / "m").write_bytes(b"GGUF")
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from vademecum.core.errors import ConfigError\n"
        "from vademecum.providers.registry import open_model\n"
        f"try: open_model({spec!r})\n"
        "except ConfigError as error: print(error.message, error.hint)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert module in done.stdout
    assert extra in done.stdout


def test_asking_needs_none_of_it():
    code = (
        "import sys\n"
        "import vademecum, vademecum.cli.ragman, vademecum.library.library, vademecum.providers.registry\n"
        "from vademecum.ask.path import ask\n"
        "loaded = [name for name in sys.modules if name.split('.')[0] in {'httpx2', 'httpcore2', 'xllamacpp', 'ssl'}\n"
        "    or name.startswith(('vademecum.net', 'vademecum.providers.'))\n"
        "    and not name.startswith(('vademecum.providers.builtin', 'vademecum.providers.registry'))]\n"
        "print(loaded)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_yaml_is_loaded_only_when_the_file_changed(tmp_path):
    file, copy = tmp_path / "config.yaml", tmp_path / "data/settings.json"
    file.write_text("ragman: {confidence_threshold: 0.5}\n")
    code = (
        "import sys; from pathlib import Path; from vademecum.config.library import load_settings;"
        "print(load_settings(Path(sys.argv[1]), Path(sys.argv[2])).confidence_threshold, 'yaml' in sys.modules)"
    )
    command = [sys.executable, "-c", code, file, copy]
    printed = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert printed == ["0.5 True\n", "0.5 False\n"]


def test_importing_the_package_imports_nothing():
    code = "import sys; before = set(sys.modules); import vademecum; print(sorted(set(sys.modules) - before))"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout == "['vademecum']\n"
