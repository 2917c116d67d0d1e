import pytest


@pytest.fixture
def data_home(tmp_path):
    (tmp_path / "data" / "ragcli" / "index").mkdir(parents=True)
    (tmp_path / "data" / "ragcli" / "index" / "CURRENT").write_text("000001 00000000\n")
    (tmp_path / "data" / "ragcli" / "catalog.json").write_text("{}")
    return tmp_path / "data"


@pytest.mark.parametrize("below", [".", "ragcli", "ragcli/index"])
def test_an_index_is_found_by_the_folders_it_is_in(data_home, below):
    from places import find_index

    assert find_index(data_home / below) == (data_home / "ragcli" / "index").resolve()


def test_a_folder_without_an_index_is_refused(tmp_path):
    from places import find_index

    with pytest.raises(SystemExit, match="holds no index"):
        find_index(tmp_path)


def test_a_home_has_the_index_and_shares_nothing_else(data_home):
    from places import private_home

    with private_home(data_home) as home:
        assert home.index == (data_home / "ragcli" / "index").resolve()
        assert (home.library / "catalog.json").read_text() == "{}"
        for variable in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
            assert home.environment[variable].startswith(str(home.folder))
    assert not home.folder.exists()
    assert (data_home / "ragcli" / "index" / "CURRENT").exists()
