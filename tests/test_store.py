# SPDX-License-Identifier: Apache-2.0
"""Diagrams in files: they come back equal, and a bad file is a clear error."""

import hashlib
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
from file_strategies import binned, networks, scoreboards
from oddly import FormatError
from oddly.diagram.zones import prove
from oddly.lowering import lower_families
from oddly.model import Bins, NetworkClassifier
from strategies import classifiers


@pytest.fixture
def saved(tmp_path):
    odd = oddly.compile(oddly.examples.tic_tac_toe())
    odd.save(tmp_path / "t.odd")
    return odd, tmp_path / "t.odd"


@given(model=classifiers())
@settings(max_examples=50, deadline=None)
def test_a_diagram_survives_save_and_load(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "x.odd"
    odd = oddly.compile(model, "random:1")
    oddly.save(odd, path)
    for trusted in (False, True):
        again = oddly.load(path, trusted=trusted)
        assert again == odd
        assert again.root == odd.root
        assert again.source == odd.source
        assert again.certificate == odd.certificate


def test_a_combined_diagram_without_a_source_survives_too(saved, tmp_path):
    odd, _ = saved
    bare = oddly.ODD(odd.variables, odd.labels, odd.levels, odd.root, odd.places)
    bare.save(tmp_path / "bare.odd")
    again = oddly.load(tmp_path / "bare.odd")
    assert again == bare
    assert again.source is None
    with pytest.raises(oddly.Unsupported, match="combined from others"):
        _ = again.certificate


def test_a_loaded_diagram_is_mapped_not_read(saved):
    _, path = saved
    level = oddly.load(path).levels[3]
    assert not level.flags.writeable
    assert not level.flags.owndata


def test_every_damaged_byte_is_noticed(saved, tmp_path):
    _, path = saved
    data = path.read_bytes()
    r = random.Random(0)
    for at in [*range(40), *(r.randrange(len(data)) for _ in range(200)), len(data) - 1]:
        broken = bytearray(data)
        broken[at] ^= 1 << r.randrange(8)
        (tmp_path / "broken.odd").write_bytes(broken)
        with pytest.raises(FormatError, match=r"broken\.odd: "):
            oddly.load(tmp_path / "broken.odd")


def test_every_truncated_file_is_noticed(saved, tmp_path):
    _, path = saved
    data = path.read_bytes()
    for length in [0, 5, 16, 60, len(data) // 2, len(data) - 33, len(data) - 1]:
        (tmp_path / "short.odd").write_bytes(data[:length])
        with pytest.raises(FormatError, match=r"short\.odd: "):
            oddly.load(tmp_path / "short.odd")


def test_a_child_that_points_nowhere_is_noticed_though_the_checksum_is_right(saved, tmp_path):
    odd, _ = saved
    levels = [level.copy() for level in odd.levels]
    levels[2][0, 0] = 10**6
    oddly.ODD(odd.variables, odd.labels, tuple(levels), 0, odd.places).save(tmp_path / "wild.odd")
    with pytest.raises(FormatError, match="a child at depth 2 points nowhere"):
        oddly.load(tmp_path / "wild.odd")


def test_a_foreign_file_and_a_missing_one_are_named(tmp_path):
    (tmp_path / "x.odd").write_text("not a diagram at all, but long enough to look like one, perhaps")
    with pytest.raises(FormatError, match="not an .odd file"):
        oddly.load(tmp_path / "x.odd")
    with pytest.raises(FormatError, match="no such file"):
        oddly.load(tmp_path / "missing.odd")


def test_a_later_version_is_named(saved, tmp_path):
    _, path = saved
    data = path.read_bytes()
    (tmp_path / "new.odd").write_bytes(data.replace(b'"version": 2', b'"version": 9', 1))
    with pytest.raises(FormatError, match="version 9 of the .odd format"):
        oddly.load(tmp_path / "new.odd")


def test_a_save_that_fails_leaves_the_old_file(saved, tmp_path, monkeypatch):
    odd, path = saved
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(FormatError, match="cannot be written: No space left"):
        odd.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["t.odd"]


def test_a_save_into_nowhere_says_so(saved, tmp_path):
    odd, _ = saved
    with pytest.raises(FormatError, match="cannot be written"):
        odd.save(tmp_path / "no" / "such" / "folder.odd")


def test_header_is_plain_json(saved):
    odd, path = saved
    data = path.read_bytes()
    length = int.from_bytes(data[8:16], "little")
    header = json.loads(data[16 : 16 + length])
    assert header["labels"] == list(odd.labels)
    assert header["diagrams"] == [{"role": "exact", "root": odd.root, "widths": odd.widths[:-1]}]
    assert np.prod([len(a["values"]) for a in header["attributes"]]) == odd.instances


def header_of(path):
    data = path.read_bytes()
    return json.loads(data[16 : 16 + int.from_bytes(data[8:16], "little")])


def forged(odd, path, levels=None, **changes):
    """A file with a right checksum whose header, or levels, lie; `root` and `widths` are those of its diagram."""
    odd.save(path)
    header = header_of(path)
    (shape,) = header["diagrams"]
    header["diagrams"] = [shape | {name: changes.pop(name) for name in ("root", "widths") if name in changes}]
    return written_as(odd, path, {**header, **changes}, levels)


def written_as(odd, path, header, levels=None):
    data, header = path.read_bytes(), json.dumps(header).encode()
    body = data[:8] + len(header).to_bytes(8, "little") + header
    for level in odd.levels if levels is None else levels:
        body += bytes(-len(body) % 64) + np.ascontiguousarray(level, "<u4").tobytes()
    path.write_bytes(body + hashlib.blake2b(body, digest_size=32).digest())
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": ["no", "yes", "maybe"]},
        {"labels": ["yes", "no"]},
        {"labels": []},
        {"labels": ["no", "no"]},
        {"labels": [str(i) for i in range(70_000)], "source": None},
        {"widths": [1, 2, -2]},
        {"widths": [1, 2, 10**18]},
        {"widths": [1, 2, float("inf")]},
        {"widths": [1, 2]},
        {"widths": "x"},
        {"root": 1},
        {"root": -1},
        {"places": [0, 0, 1]},
        {"attributes": [{"name": "U", "values": []}] * 3},
        {"attributes": [{"name": "U", "values": ["+ve", "-ve"]}] * 3, "source": None},
        {"attributes": 7},
        {"source": {"model": {}, "bits": 64, "impossible": "negative"}},
        {"source": 5},
        {"version": "1"},
        {"version": 0},
        {"version": True},
        {"version": 1.5},
        {"diagrams": []},
        {"diagrams": [{"role": "exact", "root": 0, "widths": [1, 2, 2]}] * 2},
        {"diagrams": [{"role": "lower", "root": 0, "widths": [1, 2, 2]}]},
    ],
)
@pytest.mark.parametrize("trusted", [False, True])
def test_a_lying_header_is_noticed_though_the_checksum_is_right(changes, trusted, tmp_path):
    odd = oddly.compile(oddly.examples.pregnancy(), ["U", "B", "S"])
    path = forged(odd, tmp_path / "evil.odd", **changes)
    if trusted and changes in ({"root": 1}, {"root": -1}):
        return  # a promise of the caller's
    with pytest.raises(FormatError, match=r"evil\.odd: "):
        oddly.load(path, trusted=trusted)


def test_a_diagram_that_contradicts_its_model_is_noticed(tmp_path):
    odd = oddly.compile(oddly.examples.pregnancy(), ["U", "B", "S"])
    flipped = [*odd.levels[:-1], 1 - odd.levels[-1]]
    with pytest.raises(FormatError, match="it contradicts the model it came with"):
        oddly.load(forged(odd, tmp_path / "evil.odd", flipped))


def near_tie():
    """Two sums of 64 bits that rounding could turn round: 2^-70 apart."""
    points = [oddly.Points("A", ["x", "y"], [1, 0]), oddly.Points("B", ["x", "y"], [f"{2**70 - 1}/{2**70}", 0])]
    return oddly.Scorecard(points, cutoff=1)


@pytest.mark.parametrize("lie", [{"table": None}, {"table": {"closest": 1, "ties": 0, "error": 0}}, {"bits": 128}, {}])
def test_no_word_in_the_header_switches_the_proof_off(lie, tmp_path):
    for odd in (oddly.compile(oddly.examples.pregnancy(), ["U", "B", "S"]), oddly.compile(near_tie())):
        flipped = odd.levels[-1].copy()
        flipped[0, 0] = 1 - flipped[0, 0]
        source = {**header_of(forged(odd, tmp_path / "evil.odd"))["source"], **lie}
        assert oddly.load(forged(odd, tmp_path / "evil.odd", source=source)).certificate.proven
        with pytest.raises(FormatError, match="it contradicts the model it came with"):
            oddly.load(forged(odd, tmp_path / "evil.odd", [*odd.levels[:-1], flipped], source=source))


def test_too_few_bits_are_not_believed(tmp_path):
    odd = oddly.compile(near_tie())
    assert odd.source.bits > 64
    source = {**header_of(forged(odd, tmp_path / "evil.odd"))["source"], "bits": 64}
    assert oddly.load(forged(odd, tmp_path / "evil.odd", source=source)).certificate.proven
    turned = odd.levels[-1].copy()
    turned[turned[:, 0] != turned[:, 1]] = [1, 1]  # as if A=y, B=x reached the cut-off
    for bits in (64, 128):
        with pytest.raises(FormatError, match="contradicts"):
            oddly.load(forged(odd, tmp_path / "evil.odd", [odd.levels[0], turned], source={**source, "bits": bits}))


def test_every_flipped_leaf_at_thresholds_0_and_1_is_noticed(tmp_path):
    given = {"a": ["1/2", "1/2"], "b": ["1", "0"]}, {"a": ["1/2", "1/2"], "b": ["1/3", "2/3"]}
    cpts = [oddly.CPT(name, ["p", "q"], g) for name, g in zip("xy", given, strict=True)]
    for threshold in "01":
        for ties in ("positive", "negative"):
            model = oddly.NaiveBayes("C", ["a", "b"], ["1/2", "1/2"], cpts, "a", threshold, ties)
            odd = oddly.compile(model)
            for source in (odd.source, lower_families(model).in_order(np.argsort(np.argsort(odd.places)))):
                assert prove(odd.levels, odd.root, source).proven
                for at in np.ndindex(odd.levels[-1].shape):
                    last = odd.levels[-1].copy()
                    last[at] = 1 - last[at]
                    with pytest.raises(AssertionError):
                        prove([*odd.levels[:-1], last], odd.root, source)


def test_a_file_of_the_first_version_is_read_and_proven_again(saved, tmp_path):
    odd, path = saved
    header = header_of(path)
    first = {**header, "version": 1, **{name: header["diagrams"][0][name] for name in ("root", "widths")}}
    del first["diagrams"]
    again = oddly.load(written_as(odd, path, first))
    assert again == odd
    assert again.unproven is None
    turned = [*odd.levels[:-1], 1 - odd.levels[-1]]
    with pytest.raises(FormatError, match="contradicts"):
        oddly.load(written_as(odd, path, first, turned))


def test_what_has_no_model_is_never_called_proven(saved, tmp_path):
    odd, _ = saved
    assert odd.unproven is None
    loaded = oddly.load(forged(odd, tmp_path / "bare.odd", source=None))
    assert "no model" in loaded.unproven
    assert "no model" in (odd & odd).unproven


def test_a_link_is_followed_and_rights_are_kept(saved, tmp_path):
    odd, path = saved
    path.chmod(0o600)
    (tmp_path / "link.odd").symlink_to(path)
    odd.restrict({odd.order[0]: "x"}).save(tmp_path / "link.odd")
    assert (tmp_path / "link.odd").is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600
    assert oddly.load(path).instances == odd.instances // 3


def test_a_device_is_written_to_and_not_replaced(saved):
    odd, _ = saved
    odd.save("/dev/null")
    assert Path("/dev/null").is_char_device()


def test_numbers_with_very_many_digits_come_back(tmp_path):
    card = oddly.Scorecard([oddly.Points("A", ["x", "y"], [1e-300, 0])], cutoff=1e-300)
    oddly.write(card, tmp_path / "tiny.json")
    assert oddly.read(tmp_path / "tiny.json") == card
    oddly.compile(card).save(tmp_path / "tiny.odd")
    assert oddly.load(tmp_path / "tiny.odd") == oddly.compile(card)


def test_cut_points_of_numbers_survive_with_and_without_the_model(tmp_path):
    bins = Bins(["39.5"], "right")
    card = oddly.Scorecard([oddly.Points("age", ["young", "old"], [0, 1], bins)], cutoff=1)
    odd = oddly.compile(card)
    bare = oddly.ODD(odd.variables, odd.labels, odd.levels, odd.root, odd.places)
    for diagram in (odd, bare):
        diagram.save(tmp_path / "x.odd")
        again = oddly.load(tmp_path / "x.odd")
        assert again == diagram
        assert again.variables[0].bins == bins


@st.composite
def chosen_networks(draw):
    """Network classifiers of some attributes, others known, the rest hidden."""
    network = draw(networks())
    names = draw(st.permutations([node.name for node in network.nodes]))
    target = next((name for name in names if len(network.node(name).values) > 1), None)
    assume(target is not None)
    others = [name for name in names if name != target]
    known = others[: draw(st.integers(0, 1))]
    evidence = {name: network.node(name).values[0] for name in known}
    return NetworkClassifier(network, target, others[len(known) : 4], threshold="1/3", evidence=evidence)


@given(model=scoreboards() | binned() | chosen_networks())
@settings(max_examples=40, deadline=None)
def test_boards_bins_and_networks_survive_too(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "x.odd"
    odd = oddly.compile(model)
    odd.save(path)
    again = oddly.load(path)
    assert again == odd
    assert again.variables == odd.variables  # cut points included
    expected = model.naive or model if isinstance(model, NetworkClassifier) else model
    assert again.source.model in (model, expected)
