# SPDX-License-Identifier: Apache-2.0
"""The studio's server: whom it answers, what it refuses, and that its answers are those of the library."""

import ast
import asyncio
import hashlib
import io
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
import warnings
from contextlib import redirect_stdout
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly.cli import COMMANDS, main
from oddly.cli.demo import random_model
from oddly.draw.bands import bands
from oddly.errors import ModelError, UnknownName
from oddly.formats import chosen, model_to_json
from oddly.studio import edited
from oddly.studio import workers as workers_module
from oddly.studio.bench import Bench
from oddly.studio.picture import grouped, passed, picture
from oddly.studio.questions import answered
from oddly.studio.ranges import listed, ranges
from oddly.studio.script import saved_name, script
from oddly.studio.shelf import Folder, Shelf
from oddly.studio.workers import Workers

pytest.importorskip("starlette", reason="the studio needs starlette")
pytest.importorskip("httpx", reason="the studio's tests need httpx")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have another client
    from starlette.testclient import TestClient

from oddly.studio.app import Opened, RequestLimits, _Lines, studio

FIGURE_1 = oddly.examples.pregnancy()
CASES = [dict(zip("UBS", values, strict=True)) for values in product(["+ve", "-ve"], repeat=3)]
NETWORK = oddly.Network(
    [
        oddly.Node("ill", ["yes", "no"], [], [["0.2", "0.8"]]),
        oddly.Node("smoker", ["yes", "no"], ["ill"], [["0.6", "0.4"], ["0.3", "0.7"]]),
        oddly.Node("cough", ["none", "dry", "wet"], ["ill", "smoker"],
                   [["0.1", "0.3", "0.6"], ["0.3", "0.3", "0.4"], ["0.5", "0.4", "0.1"], ["0.8", "0.1", "0.1"]]),
    ]
)  # fmt: skip
CARD = oddly.Scorecard(
    [oddly.Points("age", ["young", "old"], [0, 2]), oddly.Points("debt", ["none", "some", "much"], ["1.5", 1, 0])],
    cutoff=2,
)
BOARD = oddly.Scoreboard(
    [
        oddly.Tally("sky", ["clear", "grey"], [[2, 0, 0], [0, 1, 1]]),
        oddly.Tally("cold", ["no", "yes"], [[0, 1, 0], [0, 0, 3]]),
    ],
    ["sun", "rain", "snow"],
)
MODELS = {
    "naive Bayes": FIGURE_1,
    "network": NETWORK.classifier("ill", "yes", "1/3", ["smoker", "cough"]),
    "scorecard": CARD,
    "scoreboard": BOARD,
}
PORT, TOKEN = 8421, "a-token"
HERE = f"http://127.0.0.1:{PORT}"
STATIC = Path(oddly.__file__).parent / "studio" / "static"


@pytest.fixture(scope="module")
def client():
    with TestClient(studio(TOKEN, "127.0.0.1", PORT), base_url=HERE, cookies={f"oddly-studio-{PORT}": TOKEN}) as found:
        yield found


@pytest.fixture(scope="module")
def stranger():
    """Someone without the token, asking a studio that needs no workers to refuse."""
    return TestClient(studio(TOKEN, "127.0.0.1", PORT), base_url=HERE)


def ask(client, question, **asked):
    response = client.post(f"/api/ask/{question}", json=asked)
    assert response.status_code == 200, response.text
    return json.loads(response.text.splitlines()[-1])


def opened(client, name, data):
    response = client.post("/api/open", params={"name": name}, content=data)
    return json.loads(response.text.splitlines()[-1])


def brought(client, model):
    return {"id": opened(client, "model.json", json.dumps(model_to_json(model)))["answer"]["id"], "edits": []}


def bench(*models):
    return Bench(100_000, None, {str(i): json.dumps(model_to_json(m)) for i, m in enumerate(models)})


def decisions(model):
    odd = oddly.compile(model)
    values = [v.values for v in model.variables]
    rows = [dict(zip([v.name for v in model.variables], row, strict=True)) for row in product(*values)]
    return [(row, str(label)) for row, label in zip(rows, odd.classify(rows), strict=True)]


# ---- whom it answers ----


def test_the_address_with_the_token_opens_the_page_and_leaves_a_cookie(stranger):
    with TestClient(stranger.app, base_url=HERE) as newcomer:
        assert newcomer.get("/").status_code == 403
        page = newcomer.get(f"/?token={TOKEN}")
        assert page.status_code == 200
        assert "HttpOnly" in page.headers["set-cookie"]
        assert "SameSite=Strict" in page.headers["set-cookie"]
        assert newcomer.get("/api/start").status_code == 200


def test_a_ticket_lets_in_once_and_only_who_names_the_studio():
    guard = studio(TOKEN, "127.0.0.1", PORT)
    ticket, other = guard.ticket(), guard.ticket()
    assert len({ticket, other, TOKEN}) == 3
    with TestClient(guard, base_url=HERE) as first, TestClient(guard, base_url=HERE) as second:
        assert first.get(f"/?token={ticket}", headers={"host": "evil.example"}).status_code == 403
        page = first.get(f"/?token={ticket}")
        assert page.status_code == 200
        assert ticket not in page.headers["set-cookie"]
        assert first.get("/api/start").status_code == 200  # by the cookie, from now on
        assert second.get(f"/?token={ticket}").status_code == 403
        assert second.get(f"/?token={other}").status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/static/main.js", "/api/start", "/?token=", "/?token=another", "/?token=a-toke"]
)
def test_without_the_token_nothing_is_answered(stranger, path):
    refused = stranger.get(path)
    assert refused.status_code == 403
    assert "oddly studio" in refused.text


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.0.0.1.evil.example:{PORT}",
        "",
        f"192.168.1.7:{PORT}",
    ],
)
def test_a_request_that_names_another_host_is_refused_even_with_the_token(stranger, host):
    assert stranger.get(f"/?token={TOKEN}", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "[::1]:80"])
def test_the_usual_port_need_not_be_said(host):
    assert studio(TOKEN, "127.0.0.1", 80).is_here(host)
    assert not studio(TOKEN, "127.0.0.1", PORT).is_here(host)


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}"])
def test_this_machine_may_be_called_by_any_of_its_own_names(stranger, host):
    assert stranger.get(f"/?token={TOKEN}", headers={"host": host}).status_code == 200


def test_a_studio_for_everyone_answers_addresses_but_not_names():
    wide = TestClient(studio(TOKEN, "0.0.0.0", PORT), base_url=HERE)
    assert wide.get(f"/?token={TOKEN}", headers={"host": f"192.168.1.7:{PORT}"}).status_code == 200
    assert wide.get(f"/?token={TOKEN}", headers={"host": f"evil.example:{PORT}"}).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1"])
def test_a_page_from_elsewhere_is_refused_even_with_the_cookie(client, origin):
    assert client.get("/api/start", headers={"origin": origin}).status_code == 403
    assert client.post("/api/ask/model", json={}, headers={"origin": origin}).status_code == 403
    assert client.get("/api/start", headers={"origin": HERE}).status_code == 200


def test_what_the_browser_says_of_a_foreign_page_counts(client):
    for site in ("cross-site", "same-site"):
        assert client.get("/api/start", headers={"sec-fetch-site": site}).status_code == 403
    assert client.get("/api/start", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_every_response_forbids_scripts_frames_and_guesses(client, stranger):
    for response in (client.get("/"), client.get("/nowhere"), stranger.get("/"), client.get("/static/main.js")):
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert response.headers["x-frame-options"] == "DENY"
        assert response.headers["x-content-type-options"] == "nosniff"


def test_no_path_of_the_page_reaches_a_file(client):
    for path in (
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/",
    ):
        assert client.get(path).status_code == 404


def test_the_page_brings_everything_itself_and_nothing_inline():
    page = (STATIC / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|<style", page)
    for part in STATIC.iterdir():
        text = part.read_text()
        assert set(re.findall(r"https?://[\w.]+", text)) <= {"http://www.w3.org"}, part
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            part
        )


# ---- what it opens ----


@pytest.mark.parametrize("suffix", [".bif", ".net", ".xmlbif", ".xdsl", ".json"])
def test_every_format_opens_and_decides_as_its_network_does(client, tmp_path, suffix):
    oddly.write(NETWORK, tmp_path / f"net{suffix}")
    found = opened(client, f"net{suffix}", (tmp_path / f"net{suffix}").read_bytes())["answer"]
    assert {v["name"] for v in found["about"]["network"]["variables"]} == {"ill", "smoker", "cough"}
    assert found["about"]["choice"]["class"] == "ill"
    side = {"id": found["id"], "choice": {"class": "ill", "positive": "yes", "attributes": ["cough", "smoker"]}}
    for row, label in decisions(NETWORK.classifier("ill", "yes", attributes=["cough", "smoker"])):
        assert ask(client, "why", side=side, instance=row)["answer"]["decision"] == label


def test_files_without_names_and_scorecards_open_too(client, tmp_path):
    oddly.write(NETWORK, tmp_path / "net.uai")
    assert "network" in opened(client, "net.uai", (tmp_path / "net.uai").read_bytes())["answer"]["about"]
    oddly.write(CARD, tmp_path / "card.csv")
    card = opened(client, "card.csv", (tmp_path / "card.csv").read_bytes())["answer"]
    assert card["about"]["network"] is None
    assert ask(client, "model", side={"id": card["id"]})["answer"]["counts"] == {"no": "3", "yes": "3"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("bad.bif", b"network x { variable"),
        ("bad.json", b'{"format": "oddly-model", "version": 1, "kind": "naive-bayes", "class": 3}'),
        ("bad.json", b"[" * 100_000),
        ("latin.bif", b"network \xff { }"),
        ("table.csv", b"a,b\n1,2\n"),
        ("bad.xml", b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><BIF>&a;</BIF>'),
        ("bad.uai", b"BAYES 99999999999"),
        ("old.dsl", b"net x {}"),
        ("x.odd", b"\x00"),
    ],
)
def test_a_bad_file_is_told_as_on_the_command_line(client, tmp_path, monkeypatch, capsys, name, data):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(data)
    with pytest.raises(oddly.OddlyError) as refused:
        oddly.load(name) if name.endswith(".odd") else oddly.read(name)
    assert opened(client, name, data)["error"] == str(refused.value)


# ---- diagrams ----


def bytes_of(odd, folder):
    odd.save(folder / "x.odd")
    return (folder / "x.odd").read_bytes()


@pytest.mark.parametrize("name", MODELS)
def test_a_diagram_opens_as_it_was_saved_and_its_numbers_can_be_changed(client, tmp_path, name):
    model = MODELS[name]
    odd = oddly.compile(model, order="descending")
    found = opened(client, "x.odd", bytes_of(odd, tmp_path))["answer"]
    side = {"id": found["id"], "name": "x.odd"}
    answer = ask(client, "model", side=side)["answer"]
    assert (answer["order"], answer["size"]) == (list(odd.order), odd.size)
    assert answer["counts"] == {label: str(odd.count(label)) for label in odd.labels}
    number = next(n for n in model.numbers() if n.movable)
    to = str(number.now / 2)
    changed = {**side, "edits": [[list(number.path), to]]}
    after = decisions(edited(model, [(number.path, to)]))
    assert ask(client, "model", side=changed)["answer"]["order"] == list(odd.order)
    for row, label in after:
        assert ask(client, "why", side=changed, instance=row)["answer"]["decision"] == label
    flips = sum(one != two for one, two in zip(decisions(model), after, strict=True))
    assert ask(client, "differ", a=side, b=changed)["answer"]["count"] == str(flips)


def test_a_diagram_without_a_model_answers_what_it_can_and_says_what_it_cannot(client, tmp_path):
    odd = oddly.compile(FIGURE_1)
    combined = odd ^ odd.restrict(U="-ve")
    found = opened(client, "both.odd", bytes_of(combined, tmp_path))["answer"]
    assert found["about"]["model"] is False
    side = {"id": found["id"], "name": "both.odd"}
    answer = ask(client, "model", side=side)["answer"]
    assert answer["counts"] == {label: str(combined.count(label)) for label in combined.labels}
    assert (answer["class"], answer["now"]) == (None, {})
    for row, label in decisions(FIGURE_1):
        told = ask(client, "why", side=side, instance=row)["answer"]
        assert told["decision"] == str(combined.classify([row])[0])
        assert told["posterior"] is None
        assert label == "yes" or told["decision"] == "no"
    for question in ("numbers", "ranges"):
        assert "combined from others" in ask(client, question, side=side)["answer"]["why_not"]
    assert "has no model" in ask(client, "saved", side=side)["error"]
    assert "has no model" in ask(client, "model", side={**side, "edits": [[["prior"], "0.5"]]})["error"]
    assert ask(client, "check", side=side, rules=["ignores U"])["answer"]["verdicts"][0]["holds"] is False
    assert ask(client, "fair", side=side, protected=["U"])["answer"]["holds"] is False
    against = brought(client, FIGURE_1)
    both = oddly.compare(combined, FIGURE_1)
    assert ask(client, "differ", a=side, b=against)["answer"]["count"] == str(both.count)
    assert ask(client, "differ", a=against, b=side)["answer"]["count"] == str(both.count)
    assert "<html" in ask(client, "report", side=side)["answer"]["text"]


def test_a_diagram_is_checked_before_it_is_used(client, tmp_path):
    data = bytearray(bytes_of(oddly.compile(FIGURE_1), tmp_path))
    level = len(data) - 32 - 16  # a child of the last level, with a digest that fits
    data[level : level + 4] = (1 << 20).to_bytes(4, "little")
    data[-32:] = hashlib.blake2b(data[:-32], digest_size=32).digest()
    (tmp_path / "bad.odd").write_bytes(data)
    with pytest.raises(oddly.OddlyError) as refused:
        oddly.load(tmp_path / "bad.odd")
    assert opened(client, "bad.odd", bytes(data))["error"] == str(refused.value).replace(str(tmp_path) + "/", "")


def test_a_diagram_on_the_command_line_is_what_the_page_begins_with(tmp_path):
    from oddly.cli.options import NO_CHOICE
    from oddly.cli.studio import _opened

    path = tmp_path / "x.odd"
    oddly.compile(FIGURE_1).save(path)
    begins = studio(TOKEN, "127.0.0.1", PORT, [_opened(path, NO_CHOICE)])
    with TestClient(begins, base_url=HERE, cookies={f"oddly-studio-{PORT}": TOKEN}) as client:
        one = client.get("/api/start").json()["models"][0]
        assert ask(client, "model", side=one)["answer"]["counts"] == {"no": "3", "yes": "5"}
    oddly.compile(CARD).save(path)
    found = answered(Bench(100, files={one["id"]: str(path)}), "model", {"side": one})
    assert found["error"].startswith("x.odd: the file has changed since it was opened.")


def test_what_was_done_with_diagrams_says_the_same_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    odd = oddly.compile(FIGURE_1)
    odd.save("old.odd")
    (odd | odd.restrict(U="+ve")).save("both.odd")
    models = [
        {"id": "a", "name": "old.odd", "origin": "file", "edits": [[["prior"], "0.6"]]},
        {"id": "b", "name": "both.odd", "origin": "file"},
    ]
    said = script({"models": models, "steps": [{"ask": "flips"}, {"ask": "differ"}]})
    with redirect_stdout(io.StringIO()) as out:
        exec(said["python"], {})
    changed = edited(FIGURE_1, [(["prior"], "0.6")])
    wanted = [oddly.compare(odd, changed), oddly.compare(oddly.compile(changed), oddly.load("both.odd"))]
    assert out.getvalue().splitlines() == "\n".join(map(repr, wanted)).splitlines()
    oddly.write(changed, saved_name("old.odd"))
    for line in said["commands"].splitlines():
        assert line.startswith("#") or main(shlex.split(line)[1:]) == 1, capsys.readouterr().err


def test_a_naive_bayes_may_decide_something_else(client, tmp_path, monkeypatch):
    found = client.get("/api/start").json()["examples"][0]
    assert found["choice"] is None
    assert found["about"]["network"]["own"] == {"class": "P", "positive": "yes", "attributes": None}
    choice = {"class": "P", "positive": "no", "attributes": ["U", "S"]}
    side = {"id": found["id"], "choice": choice}
    wanted = oddly.compile(chosen(FIGURE_1, positive="no", attributes=["U", "S"]))
    counts = ask(client, "model", side=side)["answer"]["counts"]
    assert counts == {label: str(wanted.count(label)) for label in wanted.labels}
    said = script({"models": [{**found, "choice": choice}], "steps": [{"ask": "numbers"}]})
    with redirect_stdout(io.StringIO()) as out:
        exec(said["python"], {})
    assert out.getvalue().strip() == repr(oddly.allowed(wanted))
    assert main(shlex.split(said["commands"])[1:]) == 0


def test_a_name_with_a_path_in_it_is_only_a_name(client, tmp_path):
    target = tmp_path / "precious.json"
    target.write_text("mine")
    for name in (str(target), f"../../../../{target}", "a\x00b.json", ".json"):
        opened(client, name, b"not a model")
        assert target.read_text() == "mine"
    assert "not a kind of file" in opened(client, "/etc/passwd", b"root")["error"]


def test_a_file_beyond_the_limit_is_refused_before_it_is_read():
    small = studio(TOKEN, "127.0.0.1", PORT, limits=RequestLimits(upload=100))
    with TestClient(small, base_url=HERE, cookies={f"oddly-studio-{PORT}": TOKEN}) as client:
        for content in (b"x" * 101, iter([b"x" * 60, b"x" * 60])):  # with its length said before, and without
            refused = client.post("/api/open?name=large.bif", content=content)
            assert refused.status_code == 413
            assert "--max-upload" in refused.json()["error"]
        assert client.post("/api/open?name=x.bif", content=b"x", headers={"content-length": "-5"}).status_code in (
            400,
            413,
        )


def test_a_model_that_was_forgotten_is_asked_for_again(client):
    response = client.post("/api/ask/model", json={"side": {"id": "no such"}})
    assert response.status_code == 409
    assert response.json()["forgotten"] == ["no such"]


def test_the_shelf_forgets_the_least_used_and_never_what_is_pinned():
    shelf = Shelf(room=10)
    pinned, first, second = shelf.put("p" * 9, pin=True), shelf.put("aaaa"), shelf.put("bbbb")
    shelf.get(first)
    third = shelf.put("cccc")
    assert [shelf.get(i) is None for i in (pinned, first, second, third)] == [False, False, True, False]


# ---- what it answers ----


def test_the_studio_begins_with_figure_1(client):
    found = client.get("/api/start").json()
    assert found["models"] == []
    assert found["examples"][0]["name"] == "pregnancy"
    answer = ask(client, "model", side={"id": found["examples"][0]["id"]})["answer"]
    assert (answer["instances"], answer["counts"], answer["size"]) == ("8", {"no": "3", "yes": "5"}, 7)


@pytest.mark.parametrize("name", MODELS)
def test_as_many_instances_come_by_a_node_as_there_are_paths_over_it(name):
    model = MODELS[name]
    odd = oddly.compile(model)
    drawn = picture(odd)
    nodes = {node["id"]: node for node in drawn["nodes"]}
    passed = dict.fromkeys(nodes, 0)
    for row, label in decisions(model):
        node = drawn["root"]
        while "sink" not in nodes[node]:
            passed[node] += 1
            attribute = drawn["rows"][nodes[node]["row"]]
            place = attribute["values"].index(row[attribute["name"]])
            node = next(e["to"] for e in drawn["edges"] if e["from"] == node and place in e["values"])
        passed[node] += 1
        assert nodes[node]["sink"] == label
    assert {node: int(facts["through"]) for node, facts in nodes.items()} == passed


def test_the_interval_of_the_root_is_the_range_of_the_prior():
    drawn = picture(oddly.compile(FIGURE_1))
    root = next(node for node in drawn["nodes"] if node["id"] == drawn["root"])
    assert oddly.allowed(FIGURE_1).prior.probability.interval() in root["interval"]


def test_a_diagram_too_large_to_draw_is_told_by_its_widths():
    odd = oddly.compile(random_model(24))
    found = picture(odd)
    assert sum(found["widths"]) == odd.size
    assert "nodes" in found


def test_a_diagram_of_few_nodes_and_a_thousand_edges_is_no_drawing_either():
    points = [[(7 * i + 11 * k * k) % 37 for k in range(30)] for i in range(5)]
    values = [f"v{k}" for k in range(30)]
    odd = oddly.compile(oddly.Scorecard([oddly.Points(f"a{i}", values, p) for i, p in enumerate(points)], cutoff=90))
    assert odd.reduced_size < 400
    assert picture(odd)["widths"] == odd.widths


@pytest.mark.parametrize("model", [*MODELS.values(), random_model(9)], ids=[*MODELS, "of nine"])
def test_groups_and_ways_are_those_of_the_instances_that_pass(model):
    """Against every instance, walked one by one; and what is not known is every value."""
    odd = oddly.compile(model)
    sorted_ = bands(odd)
    drawn = grouped(odd, sorted_)
    first = [min(node["id"] for node in drawn["nodes"] if node["row"] == row) for row in range(len(odd.levels))]
    passing = dict.fromkeys((node["id"] for node in drawn["nodes"]), 0)
    ways = []
    for row, label in decisions(model):
        here, nodes = odd.root, []
        for depth, level in enumerate(odd.levels):
            nodes.append(first[depth] + int(sorted_.groups[depth][here]))
            here = int(level[here, odd.variables[depth].values.index(row[odd.order[depth]])])
        nodes.append(sum(map(len, sorted_.rows[:-1])) + odd.labels.index(label))
        for node in nodes:
            passing[node] += 1
        ways.append((row, nodes))
        found = passed(odd, sorted_, row)
        assert found["nodes"] == sorted(nodes)
        assert found["steps"] == [list(step) for step in pairwise(nodes)]
        assert found["d"]
    assert {node["id"]: int(node["through"]) for node in drawn["nodes"]} == passing
    known = {odd.order[-1]: odd.variables[-1].values[0]}
    alike = [nodes for row, nodes in ways if known.items() <= row.items()]
    assert passed(odd, sorted_, known)["nodes"] == sorted({node for nodes in alike for node in nodes})
    assert all("nan" not in ribbon["d"] for ribbon in drawn["ribbons"])


def test_an_instance_that_cannot_be_has_no_way():
    both = bench(FIGURE_1)
    for instance in ({"U": "maybe"}, {"Q": "+ve"}, 3):
        assert answered(both, "way", {"side": {"id": "0"}, "instance": instance})["error"]
    assert answered(both, "bands", {"side": {"id": "0"}})["answer"]["labels"] == ["no", "yes"]


@pytest.mark.parametrize("name", MODELS)
def test_a_range_ends_where_the_first_decision_changes(name):
    """The ranges of `oddly.allowed` against what becomes of the edited model, at both ends and a little beyond."""
    model = MODELS[name]
    odd, before = oddly.compile(model), decisions(model)
    rows = listed(model, 500)["numbers"]
    named = {path: said for path, said, _ in oddly.allowed(odd).ranges()}
    by_path = {path: found for path, _, found in oddly.allowed(odd).ranges()}
    assert [row["path"] for row in rows] == [list(n.path) for n in model.numbers()]
    found = [by_path.get(number.path) for number in model.numbers()]
    assert all(named.get(number.path, number.name) == number.name for number in model.numbers())
    shown = [one and one["interval"] for one in ranges(odd, model, 500)["ranges"]]
    assert shown == [one and ("anything" if one.any else one.interval()) for one in found]

    tried = 0
    for number in model.numbers():
        found = by_path.get(number.path)
        if found is None:
            continue
        for end, included, block, step in (
            (found.exact[0], found.includes_low, found.below, Fraction(-1, 10**6)),
            (found.exact[1], found.includes_high, found.above, Fraction(1, 10**6)),
        ):
            if block is None:
                continue
            tried += 1
            same = decisions(edited(model, [(number.path, end)])) == before
            assert same == included, (number, end)
            if number.points or 0 < end + step < 1:
                assert decisions(edited(model, [(number.path, end + step)])) != before
            assert decisions(edited(model, [(number.path, end - step)])) == before
    assert tried > 4


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_an_edit_changes_one_number_and_keeps_the_proportions_of_the_others(data):
    model = MODELS[data.draw(st.sampled_from(sorted(MODELS)))]
    number = data.draw(st.sampled_from([n for n in model.numbers() if n.movable]))
    to = data.draw(st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
    after = {n.path: n.now for n in edited(model, [(number.path, to)]).numbers()}
    assert after[number.path] == to
    for other in model.numbers():
        same_row = other.path[:-1] == number.path[:-1] and not other.points and len(number.path) > 1
        if other.path == number.path:
            continue
        wanted = other.now * (1 - to) / (1 - number.now) if same_row else other.now
        assert after[other.path] == wanted


def test_numbers_that_cannot_be_are_refused():
    for path, to in (
        (["prior"], "2"),
        (["prior"], "much"),
        (["entry", "U", "yes", "+ve"], "-1"),
        (["threshold"], "1.5"),
    ):
        with pytest.raises(ModelError):
            edited(FIGURE_1, [(path, to)])
    with pytest.raises(UnknownName):
        edited(FIGURE_1, [(["entry", "U", "maybe", "+ve"], "0.5")])
    sure = FIGURE_1.replace(prior=["1", "0"])
    with pytest.raises(ModelError):
        edited(sure, [(["prior"], "0.5")])


@pytest.mark.parametrize(
    ("path", "to"), [(["prior"], "0.6"), (["threshold"], "0.5"), (["entry", "S", "no", "+ve"], "0.4")]
)
def test_what_flips_is_what_is_decided_otherwise(client, path, to):
    side = brought(client, FIGURE_1)
    answer = ask(client, "differ", a=side, b={**side, "edits": [[path, to]]})["answer"]
    before, after = dict_of(FIGURE_1), dict_of(edited(FIGURE_1, [(path, to)]))
    flipped = [case for case in CASES if before[tuple(case.values())] != after[tuple(case.values())]]
    assert int(answer["count"]) == len(flipped)
    for case in answer["cases"]:
        key = tuple(case["instance"][name] for name in "UBS")
        assert (case["a"], case["b"]) == (before[key], after[key])
    assert len(answer["cases"]) == len(flipped)


def dict_of(model):
    return {tuple(row.values()): label for row, label in decisions(model)}


def test_reasons_and_changes_are_those_of_the_library(client):
    side = brought(client, FIGURE_1)
    for case in CASES:
        answer = ask(client, "why", side=side, instance=case)["answer"]
        assert answer["sentence"] == repr(oddly.explain(FIGURE_1, case))
        assert answer["change"]["sentence"] == repr(oddly.change(FIGURE_1, case, k=3))
        assert answer["posterior"]["yes"] == pytest.approx(float(FIGURE_1.posterior(case)[0]))
    assert ask(client, "why", side=side, instance={})["answer"]["open"]["counts"] == {"no": "3", "yes": "5"}


ZEROS = oddly.NaiveBayes(
    "kind",
    ["good", "bad"],
    ["1/2", "1/2"],
    [
        oddly.CPT("smell", ["none", "foul"], {"good": ["0", "1"], "bad": ["0", "1"]}),  # of both kinds, never the first
        oddly.CPT("ring", ["one", "two", "none"], {"good": ["1/2", "1/2", "0"], "bad": ["1/3", "0", "2/3"]}),
        oddly.CPT("cap", ["flat", "bell"], {"good": ["1", "0"], "bad": ["1/2", "1/2"]}),
    ],
)


def test_what_is_impossible_is_told_and_has_no_reason(client):
    side = brought(client, ZEROS)
    cases = [case for case, _ in decisions(ZEROS)]
    impossible = [case for case in cases if ZEROS.posterior(case) is None]
    told = ask(client, "model", side=side)["answer"]
    assert told["impossible"].startswith(f"{len(impossible)} of these {len(cases)} inputs")
    assert told["first"] not in impossible
    for case in cases:
        answer = ask(client, "why", side=side, instance=case)["answer"]
        assert answer["impossible"] == (case in impossible)
        if case in impossible:
            assert answer["sentence"].startswith("impossible under the model")
        else:
            assert answer["sentence"] == repr(oddly.explain(ZEROS, case))
    assert ask(client, "why", side=side, instance={"smell": "none"})["answer"]["impossible"]
    assert "error" not in ask(client, "report", side=side, instance=impossible[0])


def test_nothing_is_said_of_impossible_inputs_where_there_are_none_or_no_probabilities(client):
    for model in MODELS.values():
        told = ask(client, "model", side=brought(client, model))["answer"]
        assert told["impossible"] == ""
        assert told["first"] == {v.name: v.values[0] for v in model.variables}


def test_models_that_cut_numbers_differently_differ_on_cells_and_say_what_is_left_out(client):
    def card(cut, *labels):
        bins = oddly.Bins([cut])
        return oddly.Scorecard(
            [oddly.Points("age", bins.labels, [0, 1], bins), oddly.Points("job", labels, [0] * len(labels))], cutoff=1
        )

    one, two = card(30, "full", "part"), card(40, "full", "none")
    found = ask(client, "differ", a=brought(client, one), b=brought(client, two))["answer"]
    assert (found["unit"], found["count"], found["instances"]) == ("cell", "1", "3")  # [30, 40), of those with job=full
    assert found["left_out"]["count"] == "6"
    facts = [row for block in found["blocks"] if block["kind"] == "facts" for row in block["rows"]]
    assert any(name == "left out" and "job=part" in text and "job=none" in text for name, text in facts)
    same = ask(client, "differ", a=brought(client, one), b=brought(client, card(30, "full", "none")))["answer"]
    assert same["equivalent"]
    assert [row[0] for row in same["blocks"][0]["rows"]] == ["left out"]


def test_rules_hold_or_fail_and_one_that_makes_no_sense_spoils_no_other(client):
    side = brought(client, FIGURE_1)
    rules = ["monotone down in U", "if U=+ve then yes", "nonsense", "agrees with /etc/passwd"]
    found = ask(client, "check", side=side, rules=rules)["answer"]["verdicts"]
    assert [one["holds"] for one in found] == [True, False, None, None]
    assert dict_of(FIGURE_1)[tuple(found[1]["cases"][0]["instance"].values())] == "no"
    assert "passwd" not in found[3]["error"]


def test_decisions_hinge_on_what_changes_them(client):
    side = brought(client, FIGURE_1)
    found = ask(client, "fair", side=side, protected=["B"])["answer"]
    assert found["holds"] is False
    assert found["sentence"].startswith("Decisions hinge on B: 2 of 8")


def test_two_pages_do_not_disturb_each_other(client):
    side = brought(client, FIGURE_1)
    changed = {**side, "edits": [[["prior"], "0.6"]]}
    both = [ask(client, "model", side=one)["answer"]["counts"]["yes"] for one in (side, changed, side, changed)]
    assert both == ["5", "4", "5", "4"]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("model", {}),
        ("model", {"side": 3}),
        ("model", {"side": {"id": "0", "edits": 7}}),
        ("model", {"side": {"id": "0", "edits": [[["prior"], {}]]}}),
        ("model", {"side": {"id": "0", "choice": {"class": "Q"}}}),
        ("why", {"side": {"id": "0"}, "instance": [1]}),
        ("why", {"side": {"id": "0"}, "instance": {"U": "maybe"}}),
        ("check", {"side": {"id": "0"}, "rules": "ignores U"}),
        ("fair", {"side": {"id": "0"}, "protected": "U"}),
        ("fair", {"side": {"id": "0"}, "protected": []}),
        ("open", {"name": "x.json", "data": "???"}),
        ("differ", {"a": {"id": "0"}, "b": {"id": "0", "choice": []}}),
    ],
)
def test_a_question_that_makes_no_sense_is_answered_with_a_sentence(question, asked):
    found = answered(bench(FIGURE_1), question, asked)
    assert found.get("error") or "differ" in question
    assert "Traceback" not in json.dumps(found)


def test_questions_that_are_no_json_or_do_not_exist_are_refused(client):
    assert client.post("/api/ask/model", content=b"[").status_code == 400
    assert client.post("/api/ask/model", content=b"[1]").status_code == 400
    assert client.post("/api/ask/model", content=b"x" * (5 << 20)).status_code == 400
    assert client.post("/api/ask/open", json={}).status_code == 404
    assert client.post("/api/ask/__class__", json={}).status_code == 404
    assert client.get("/api/ask/model").status_code == 405
    for told in ({}, {"models": []}, {"models": [{"name": "a.bif", "origin": "file"}], "steps": [{"ask": "differ"}]}):
        assert client.post("/api/script", json=told).status_code in (200, 400)


def test_numbers_too_large_for_a_float_are_shown_all_the_same(client):
    model = oddly.Scorecard([oddly.Points("age", ["young", "old"], ["1e400", "-1e400"])], cutoff=1)
    side = brought(client, model)
    answer = ask(client, "model", side=side)["answer"]
    assert answer["counts"] == {"no": "1", "yes": "1"}
    assert "numbers" in ask(client, "numbers", side=side)["answer"]


def test_names_that_look_like_markup_travel_as_text(client):
    evil = "<img src=x onerror=alert(1)>"
    model = oddly.Scorecard([oddly.Points(evil, ["</script>", "no"], [1, 0])], cutoff=1)
    response = client.post("/api/ask/model", json={"side": brought(client, model)})
    assert response.headers["content-type"] == "application/x-ndjson"
    assert json.loads(response.text.splitlines()[-1])["answer"]["variables"][0]["name"] == evil


# ---- limits ----


def test_a_diagram_beyond_the_limit_is_an_error_that_says_how_to_raise_it():
    found = answered(
        Bench(50, None, {"0": json.dumps(model_to_json(random_model(20)))}), "model", {"side": {"id": "0"}}
    )
    assert found["kind"] == "TooLarge"
    assert "--max-nodes" in found["error"]


def test_a_report_keeps_to_the_limits_of_the_session():
    """What is compared in it may be no larger than what the page itself compares."""
    texts = {str(i): json.dumps(model_to_json(m)) for i, m in enumerate((FIGURE_1, random_model(16)))}
    asked = {"side": {"id": "0"}, "b": {"id": "1"}}
    for most, kept in ((20, True), (100_000, False)):
        text = answered(Bench(most, None, texts), "report", asked)["answer"]["text"]
        assert ("20 allowed" in text) == kept
    short_ = answered(Bench(100_000, None, texts, seconds=1e-9), "report", asked)["answer"]["text"]
    assert "more than 1e-09 seconds" in short_


LONG = {"0": json.dumps(model_to_json(random_model(48)))}


def test_a_question_that_takes_too_long_is_stopped_and_the_next_is_answered():
    async def scene():
        workers = Workers(1, seconds=0.4, max_nodes=10**9)
        try:
            lines = [line async for line in workers.ask("model", {"side": {"id": "0"}}, LONG)]
            workers.seconds = 30
            after = [line async for line in workers.ask("model", {"side": {"id": "1"}}, short())]
        finally:
            await workers.stop()
        return lines, after, workers.all

    lines, after, left = asyncio.run(scene())
    assert "stopped after 0.4 seconds" in lines[-1]["error"]
    assert after[-1]["answer"]["instances"] == "8"
    assert not left


@pytest.mark.parametrize("politely", [120.0, 0.0])
def test_what_nobody_waits_for_is_stopped(monkeypatch, politely):
    """Politely the process stays, with all it remembers; if it does not listen it is ended."""
    monkeypatch.setattr(workers_module, "POLITELY", politely)

    async def scene():
        workers = Workers(1, seconds=60, max_nodes=10**9)
        try:
            await workers.start()
            process = workers.idle[0].pid
            asked = workers.ask("model", {"side": {"id": "0"}}, LONG)
            first = await anext(asked)
            await asked.aclose()
            after = [line async for line in workers.ask("model", {"side": {"id": "1"}}, short())]
            return first, after, process == workers.idle[0].pid
        finally:
            await workers.stop()

    first, after, same = asyncio.run(scene())
    assert first["progress"][2] > 0
    assert after[-1]["answer"]["instances"] == "8"
    assert same == (politely > 0)


def short():
    return {"1": json.dumps(model_to_json(FIGURE_1))}


def test_a_page_that_goes_away_stops_its_question():
    async def scene():
        closed = asyncio.Event()
        sent = []

        async def lines():
            try:
                while True:
                    yield {"progress": ["nodes", 1, 2]}
                    await asyncio.sleep(0.01)
            finally:
                closed.set()

        async def receive():
            while len(sent) < 3:
                await asyncio.sleep(0.01)
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        await _Lines(lines())({"type": "http"}, receive, send)
        return closed.is_set()

    assert asyncio.run(scene())


def test_a_worker_that_dies_is_told_and_replaced():
    async def scene():
        workers = Workers(1)
        try:
            await workers.start()
            workers.idle[0].kill()
            (workers.folder.path / "half read").write_text("a model")
            first = [line async for line in workers.ask("model", {"side": {"id": "1"}}, short())]
            again = [line async for line in workers.ask("model", {"side": {"id": "1"}}, short())]
            return first[-1], again[-1], workers.folder.path
        finally:
            await workers.stop()

    first, again, folder = asyncio.run(scene())
    assert not folder.exists()
    assert "ended" in first.get("error", "ended")
    assert again["answer"]["instances"] == "8"


def test_a_worker_that_died_while_idle_costs_no_answer():
    async def scene():
        workers = Workers(1)
        try:
            await workers.start()
            os.kill(workers.idle[0].pid, signal.SIGKILL)
            await asyncio.sleep(0.5)
            return [line async for line in workers.ask("model", {"side": {"id": "1"}}, short())][-1]
        finally:
            await workers.stop()

    assert asyncio.run(scene())["answer"]["instances"] == "8"


def test_a_connection_that_says_nothing_is_closed(monkeypatch):
    code = (
        "import sys; from oddly.cli import main, studio; studio.HEADER_SECONDS = 1; "
        "sys.exit(main(['studio', 'example:pregnancy', '--no-browser', '--json']))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        at = json.loads(process.stdout.readline())
        with socket.create_connection((at["host"], at["port"]), timeout=20) as one:
            one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
            assert one.recv(100) == b""
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


def test_a_worker_minds_no_late_cancellation_and_takes_no_modules_from_the_folder_it_is_started_in(
    tmp_path, monkeypatch
):
    (tmp_path / "queue.py").write_text("raise SystemExit('not the module that was meant')")
    monkeypatch.chdir(tmp_path)

    async def scene():
        workers = Workers(1)
        try:
            await workers.start()
            await workers_module._send(workers.idle[0], {"cancel": True})  # of a question that was answered meanwhile
            return [line async for line in workers.ask("model", {"side": {"id": "1"}}, short())]
        finally:
            await workers.stop()

    assert asyncio.run(scene())[-1]["answer"]["instances"] == "8"


# ---- what was done ----


EVERYTHING = {
    "models": [
        {"name": "pregnancy", "origin": "example", "edits": [[["prior"], "0.6"], [["entry", "U", "no", "+ve"], "1/5"]]},
        {"name": "tests v2.bif", "origin": "file", "choice": {"class": "P", "positive": "yes", "attributes": ["U", "B", "S"]}, "edits": []},
    ],
    "steps": [
        {"ask": "why", "instance": CASES[1], "complete": True},
        {"ask": "numbers"},
        {"ask": "flips"},
        {"ask": "differ"},
        {"ask": "check", "rules": ["ignores B", "never no if S=+ve"]},
        {"ask": "fair", "protected": ["B"]},
    ],
}  # fmt: skip


def test_what_was_done_as_python_says_the_same_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    oddly.write(FIGURE_1, "tests v2.bif")
    said = io.StringIO()
    with redirect_stdout(said):
        exec(script(EVERYTHING)["python"], {})
    model = edited(FIGURE_1, EVERYTHING["models"][0]["edits"])
    other = oddly.read("tests v2.bif", class_="P", positive="yes")
    for answer in (
        oddly.explain(model, CASES[1]),
        oddly.change(model, CASES[1], k=3),
        oddly.allowed(model),
        oddly.compare(FIGURE_1, model),
        oddly.compare(model, other),
    ):
        assert repr(answer) in said.getvalue()
    assert "ignores B" in said.getvalue()
    assert "hinges on B" in said.getvalue()


def test_what_was_done_as_commands_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    oddly.write(FIGURE_1, "tests v2.bif")
    oddly.write(edited(FIGURE_1, EVERYTHING["models"][0]["edits"]), "pregnancy-changed.json")
    lines = [line for line in script(EVERYTHING)["commands"].splitlines() if not line.startswith("#")]
    assert len(lines) >= 7
    for line in lines:
        words = shlex.split(line)
        assert words[0] == "oddly"
        if words[1] in COMMANDS:
            assert main(words[1:]) in (0, 1), capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["a\nrm -rf x\n.bif", "-o.bif", "a\n\U0001f600.bif", "$(x)`y`'\".bif", "example:x.bif"]
)
@pytest.mark.parametrize("edits", [[], [[["prior"], "0.6"]]])
def test_a_file_of_any_name_is_only_a_name_in_what_was_done(name, edits):
    said = script({"models": [{"name": name, "origin": "file", "edits": edits}], "steps": [{"ask": "numbers"}]})
    read = next(line for line in said["python"].splitlines() if "oddly.read" in line)
    assert ast.literal_eval(read.partition("oddly.read(")[2][:-1]) == name
    words = shlex.split(said["commands"], comments=True)
    assert words[:2] == ["oddly", "allow"]
    assert len(words) == 3
    assert words[2].removeprefix("./") == (saved_name(name) if edits else name)
    assert not words[2].startswith("-")


def test_two_choices_of_one_network_are_told_apart_in_what_was_done(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    oddly.write(NETWORK, "net.bif")
    one = {
        "id": "n",
        "name": "net.bif",
        "origin": "file",
        "choice": {"class": "ill", "attributes": ["cough", "smoker"]},
    }
    two = {**one, "choice": {"class": "ill", "attributes": ["cough"]}}
    said = script({"models": [one, two], "steps": [{"ask": "differ"}]})
    assert "#" not in said["python"] + said["commands"]
    codes = [main(shlex.split(line)[1:]) for line in said["commands"].splitlines()]
    both = [NETWORK.classifier("ill", attributes=chosen["choice"]["attributes"]) for chosen in (one, two)]
    assert codes == [0, 0, int(not oddly.compare(*both))]
    assert not oddly.compare(*both)
    twins = script({"models": [one, {**one, "id": "another"}], "steps": [{"ask": "differ"}]})
    assert all("# two different models have the same name" in text for text in twins.values())


def test_of_many_decisions_groups_are_compared_by_the_one_that_the_page_compares_by(
    client, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    oddly.write(BOARD, "board.json")
    page = ask(client, "fair", side=brought(client, BOARD), protected=["sky"])["answer"]
    model = {"name": "board.json", "origin": "file"}
    said = script({"models": [model], "steps": [{"ask": "fair", "protected": ["sky"], "label": page["label"]}]})
    with redirect_stdout(io.StringIO()) as out:
        exec(said["python"], {})
    assert out.getvalue().strip() == repr(oddly.fairness(BOARD, ["sky"], label=page["label"]))
    assert main(shlex.split(said["commands"])[1:]) in (0, 1), capsys.readouterr().err


def test_the_model_as_changed_can_be_saved(client):
    side = {**brought(client, FIGURE_1), "edits": [[["prior"], "0.6"]]}
    text = ask(client, "saved", side=side)["answer"]["text"]
    again = opened(client, "saved.json", text)["answer"]
    assert ask(client, "model", side={"id": again["id"]})["answer"]["sentence"] == repr(
        edited(FIGURE_1, [(["prior"], "0.6")])
    )


def test_a_report_is_a_page_or_a_sentence_that_says_why_not(client):
    found = ask(
        client,
        "report",
        side={**brought(client, FIGURE_1), "name": "tests.bif"},
        instance=CASES[0],
        rules=["ignores B", "nonsense"],
        protected=["U"],
    )
    if "error" in found:
        pytest.skip(found["error"])
    assert found["answer"]["name"] == "tests-report.html"
    assert "<html" in found["answer"]["text"]


# ---- what is left behind ----


def test_a_folder_that_a_killed_studio_left_is_removed_at_the_next_start(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = "from oddly.studio.shelf import Folder; print(Folder().path, flush=True); input()"
    killed = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    left = Path(killed.stdout.readline().strip())
    stranger = tmp_path / "oddly-studio-of-someone"  # without a lock it is not ours to remove
    stranger.mkdir()
    mine = Folder()
    assert left.exists()  # it is still someone's
    killed.kill()
    killed.communicate()
    mine.close()
    mine.close()
    Folder().close()
    assert list(tmp_path.iterdir()) == [stranger]


# ---- from the command line ----


CODE = "import sys; from pathlib import Path; from oddly.cli.studio import run; sys.exit(run(*map(Path, sys.argv[1:]), browser=False))"


def test_the_command_prints_an_address_serves_it_and_ends_with_ctrl_c(tmp_path):
    oddly.write(FIGURE_1, tmp_path / "own.json")
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, str(tmp_path / "own.json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
        with urllib.request.urlopen(address, timeout=20) as page:
            cookie = page.headers["set-cookie"].partition(";")[0]
            assert b"Oddly studio" in page.read()
        request = urllib.request.Request(address.partition("?")[0] + "api/start", headers={"cookie": cookie})
        with urllib.request.urlopen(request, timeout=20) as start:
            assert json.load(start)["models"][0]["name"] == "own.json"
        port = int(address.split(":")[2].split("/")[0])
        for path in ("open?name=x.bif", "ask/model", "script"):  # whoever breaks off is no trouble
            with socket.create_connection(("127.0.0.1", port), 20) as leaving:
                head = (
                    f"POST /api/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nContent-Length: 99\r\n"
                )
                leaving.sendall(f"{head}\r\nabc".encode())
        with urllib.request.urlopen(request, timeout=20) as start:
            assert start.status == 200
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "closed" in said
    assert "Traceback" not in said
    assert said.splitlines()[0].startswith("The studio is at the address above")
    assert "Warning" not in said
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", port), 1):
        pass


@pytest.mark.parametrize("ended", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "term"])
def test_ending_it_in_the_middle_of_a_question_leaves_neither_a_traceback_nor_a_process(tmp_path, ended):
    process = subprocess.Popen(
        [sys.executable, "-c", CODE],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    try:
        base, _, token = process.stdout.readline().strip().partition("?token=")
        cookie = {"cookie": f"oddly-studio-{base.rpartition(':')[2].strip('/')}={token}"}
        request = urllib.request.Request(f"{base}api/open?name=large.json", LONG["0"].encode(), cookie)
        with urllib.request.urlopen(request, timeout=30) as answer:
            id_ = json.loads(answer.read())["answer"]["id"]
        asked = json.dumps({"side": {"id": id_}}).encode()
        with urllib.request.urlopen(
            urllib.request.Request(f"{base}api/ask/model", asked, cookie), timeout=30
        ) as answer:
            assert b"progress" in answer.readline()
            working = children(process.pid)
            process.send_signal(ended)
            assert "error" in json.loads(answer.read().splitlines()[-1])
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, said.splitlines()[1:]) == (0, ["The studio is closed."])
    assert not [pid for pid in working if Path("/proc", pid).exists()]
    assert list(tmp_path.iterdir()) == []


def children(pid):
    """The processes of a process, where the system tells."""
    told = Path(f"/proc/{pid}/task/{pid}/children")
    return told.read_text().split() if told.exists() else []


def test_a_port_that_is_taken_and_a_model_that_is_none_are_told():
    from oddly.cli.studio import run
    from oddly.cli.texts import UsageError

    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="cannot listen"):
        run(port=taken.getsockname()[1], browser=False)
    with pytest.raises(oddly.FormatError):
        run(Path("no-such.bif"), browser=False)
    with pytest.raises(UsageError):
        run(port=70000, browser=False)
    with pytest.raises(UsageError, match="cannot listen"):
        run(host="a..b", browser=False)
    with pytest.raises(UsageError):
        run(seconds=float("nan"), browser=False)
    with pytest.raises(UsageError, match="--max-upload"):
        run(max_upload="much", browser=False)


@pytest.mark.parametrize(
    ("host", "warned"), [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True), ("", True)]
)
def test_whoever_lets_others_in_is_told_so(monkeypatch, capsys, host, warned):
    from oddly.cli import studio as command

    monkeypatch.setattr(command, "_serve", lambda app, door: None)
    assert command.run(host=host, browser=False) == 0
    out, err = capsys.readouterr()
    assert re.match(r"http://(127\.0\.0\.1|localhost):\d+/\?token=", out)
    assert ("Warning" in err) == warned


def test_networks_on_the_command_line_bring_their_choice(tmp_path):
    from oddly.cli.options import Choice
    from oddly.cli.studio import _opened

    oddly.write(NETWORK, tmp_path / "net.bif")
    found = _opened(tmp_path / "net.bif", Choice("ill", "yes", "0.4", "cough, smoker"))
    assert isinstance(found, Opened)
    assert found.choice == {"class": "ill", "positive": "yes", "attributes": ["cough", "smoker"]}
    with TestClient(
        studio(TOKEN, "127.0.0.1", PORT, [found]), base_url=HERE, cookies={f"oddly-studio-{PORT}": TOKEN}
    ) as client:
        one = client.get("/api/start").json()["models"][0]
        answer = ask(client, "model", side=one)["answer"]
        assert "Pr >= 0.4" in answer["sentence"]
    with pytest.raises(oddly.OddlyError):
        _opened(tmp_path / "net.bif", Choice("nobody"))


def test_a_diagram_opened_twice_is_never_half_written_for_who_has_it_mapped(tmp_path):
    model = oddly.examples.pregnancy().replace(prior=["0.8765", "0.1235"])  # which no other studio has open
    data = bytes_of(oddly.compile(model), tmp_path)
    guard = studio(TOKEN, "127.0.0.1", PORT)
    with TestClient(guard, base_url=HERE, cookies={f"oddly-studio-{PORT}": TOKEN}) as client:
        path = _file_of(client, data)
        with path.open("rb") as held:
            assert _file_of(client, data) == path
            assert path.stat().st_ino != os.fstat(held.fileno()).st_ino  # another file in its place
            assert held.read() == path.read_bytes() == data
        assert not list(path.parent.glob("*.new"))


def _file_of(client, data):
    """Where the studio keeps a diagram that was opened."""
    id_ = opened(client, "x.odd", data)["answer"]["id"]
    return next(Path(tempfile.gettempdir()).glob(f"oddly-studio-*/{id_}.odd"))
