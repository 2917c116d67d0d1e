"""A server behind a reverse proxy: below a path, with the addresses of its clients, and never open without a key."""

from dataclasses import replace

import pytest

from vademecum import ConfigError
from vademecum.server.app import create_app

QUESTION = {"query": "How long must I hold the calibration button of the fingers?", "book": "handbook"}


@pytest.fixture
def behind(shared_settings, run_server):
    settings = replace(
        shared_settings,
        allowed_hosts=("docs.example.org",),
        trusted_proxies=("127.0.0.1",),
        root_path="/vademecum/",
        wrong_keys=3,
    )
    with run_server(settings) as server:
        yield server


PASSED_ON = {"Host": "docs.example.org", "X-Forwarded-Proto": "https"}


def test_with_the_path_and_without_it(behind, anna):
    for prefix in ("", "/vademecum"):
        reply = behind.post(f"{prefix}/ask", QUESTION, key=anna, headers=PASSED_ON)
        assert reply.status == 200
        assert "seven seconds" in reply.json["answer"]
        page = behind.get(f"{prefix}/", headers=PASSED_ON).body.decode()
        assert 'src="./page/app.js"' in page
        assert behind.get(f"{prefix}/page/app.js", headers=PASSED_ON).status == 200
        assert behind.get(f"{prefix}/healthz", headers=PASSED_ON).status == 200
    assert behind.get("/vademecum", headers=PASSED_ON).status == 200
    assert behind.get("/vademecumx/healthz", headers=PASSED_ON).status in {401, 404}
    described = behind.get("/vademecum/openapi.json", headers=PASSED_ON).json
    assert described["servers"] == [{"url": "/vademecum"}]


def test_wrong_keys_are_counted_by_client(behind):
    def guess(client):
        headers = {**PASSED_ON, "X-Forwarded-For": f"198.51.100.9, {client}", "X-API-Key": "vdm_x"}
        return behind.get("/api/sources", headers=headers).status

    assert [guess("203.0.113.7") for _ in range(4)] == [401, 401, 401, 429]
    assert guess("203.0.113.8") == 401


def test_without_a_key_nobody_is_let_in(behind):
    for headers in (PASSED_ON, {"X-Forwarded-For": "127.0.0.1"}, {"X-Forwarded-For": "unix"}, {}):
        assert behind.get("/api/sources", headers=headers).status == 401


@pytest.mark.parametrize("root", ["/ask", "/api", "/page", "/v1"])
def test_a_root_that_is_a_route_is_refused(settings, root):
    with pytest.raises(ConfigError, match="conflicts with"):
        create_app(replace(settings, root_path=root))
