# SPDX-License-Identifier: Apache-2.0
"""A report says what the questions answer, in three renderings; it stands alone, and names are only names in it."""

import hashlib
import json
import re
import shlex
import time
from html.parser import HTMLParser
from itertools import product

import pytest

import oddly
import oddly.cli
from oddly.answers.blocks import Paragraph, Picture, Table
from oddly.formats import canonical_json
from oddly.formats.text import comma_text
from oddly.model import Variable
from oddly.questions.check.question import check
from oddly.questions.fairness.question import fairness
from oddly.reporting import parts, report
from oddly.reporting.asking import ReportRequest
from oddly.runtime import poll

HOSTILE = "<script>alert(1)</script> | `x` *y* [z](javascript:1) &lt; \"q\" 'r' \x00\x1b"
RULES = ["ignores B", "never no if S=+ve", "monotone down in U"]
CASE = {"U": "+ve", "B": "-ve", "S": "+ve"}


@pytest.fixture(autouse=True, scope="module")
def one_moment():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    model = oddly.examples.pregnancy()
    oddly.write(model, folder / "old.json")
    oddly.write(model.replace(prior=["0.6", "0.4"]), folder / "new.json")
    (folder / "rules.txt").write_text("# what we promise\nnever no if S=+ve\n")
    return folder


@pytest.fixture(scope="module")
def full(files):
    return report(
        files / "old.json", against=files / "new.json", rules=RULES, cases=[CASE, {"U": "+ve"}], protected="B"
    )


def board():
    tallies = [oddly.Tally(f"a{i}", ["x", "y"], [[i, 0, 1], [0, 2, i % 2]]) for i in range(4)]
    return oddly.Scoreboard(tallies, ["red", "green", "blue"], class_name="colour")


def card():
    return oddly.Scorecard(
        [oddly.Points("income", ["low", "mid", "high"], [0, "1.5", 3]), oddly.Points("sex", ["f", "m"], [0, 1])],
        cutoff=2,
        class_name="loan",
        class_values=["grant", "refuse"],
    )


def network():
    nodes = [
        oddly.Node("sick", ["yes", "no"], [], [["0.1", "0.9"]]),
        oddly.Node("fever", ["yes", "no"], ["sick"], [["0.8", "0.2"], ["0.1", "0.9"]]),
        oddly.Node(
            "cough", ["yes", "no"], ["sick", "fever"], [["0.7", "0.3"], ["0.5", "0.5"], ["0.3", "0.7"], ["0.1", "0.9"]]
        ),
    ]
    return oddly.NetworkClassifier(oddly.Network(nodes), "sick", ["fever", "cough"], threshold="0.3")


# ---- reading a page ----


class Page(HTMLParser):
    """The elements of a page: tags opened and closed in order, tables as rows of texts, all words."""

    EMPTY = ("meta",)

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.tables, self.words, self.ids, self.links = [], [], [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if self.open and {"td", "th"} & set(self.open) and "svg" not in self.open:
            self.tables[-1][-1][-1] += data


# ---- what it says ----


def test_every_verdict_is_that_of_its_question(full, files):
    model = oddly.examples.pregnancy()
    found = {finding.question: finding.status for finding in full.findings}
    for verdict in check(model, RULES).verdicts:
        assert found[verdict.rule] == ("holds" if verdict.holds else "fails")
    assert found["decides as new.json does"] == "fails"
    assert found["no decision hinges on B"] == "fails"
    assert found["every decision is the model's own"] == "holds"
    assert bool(full) is False
    assert bool(report(model, rules="never no if S=+ve")) is True


def test_sections_hold_the_answers_own_json(full, files):
    model = oddly.examples.pregnancy()
    odd = oddly.compile(model)
    assert full.section("decisions").data == oddly.count(odd).to_json()
    assert full.section("comparison").data == oddly.compare(oddly.read(files / "new.json"), odd).to_json()
    assert full.section("rules").data == check(odd, RULES).to_json()
    assert full.section("case-1").data == oddly.explain(odd, CASE).to_json()
    assert full.section("fairness").data == fairness(odd, "B").to_json()
    assert full.section("ranges").data == oddly.allowed(odd).to_json()
    assert full.section("rounding").data["fewest"] == oddly.rounding(model).fewest
    assert full.section("importance").data == oddly.importance(odd).to_json()


@pytest.mark.parametrize("make", [oddly.examples.pregnancy, card, board, network])
def test_attributes_stand_in_the_order_in_which_they_matter_with_counts_as_enumeration_finds_them(make):
    model = make()
    odd = oddly.compile(model)
    names = [v.name for v in model.variables]
    cases = [dict(zip(names, case, strict=True)) for case in product(*(v.values for v in model.variables))]
    decided = {tuple(case.values()): str(label) for case, label in zip(cases, odd.classify(cases), strict=True)}
    section = report(model).section("importance")
    table = next(b for b in section.blocks if isinstance(b, Table))
    assert [row[0] for row in table.rows] == [a.attribute for a in oddly.importance(odd).attributes]
    for name, counted, *_ in table.rows:
        values = next(v.values for v in model.variables if v.name == name)
        tipped = [
            case
            for case in cases
            if any(decided[tuple({**case, name: other}.values())] != decided[tuple(case.values())] for other in values)
        ]
        assert counted == f"{len(tipped):,}"


def test_of_no_attributes_none_matters():
    section = report(oddly.Scorecard([], cutoff=0)).section("importance")
    assert [type(b).__name__ for b in section.blocks] == ["Paragraph"]
    assert "no attributes" in section.findings[0].words


def test_the_ranges_on_the_page_are_those_allowed_with_the_inputs_that_stop_them(full):
    answer = oddly.allowed(oddly.examples.pregnancy())
    tables = [b for b in full.section("ranges").blocks if isinstance(b, Table)]
    rows = {row[0]: row for table in tables for row in table.rows if len(row) == 5}
    stops = dict(tables[-1].rows)
    assert rows["Pr(P=yes)"][1:3] == ("0.87", "[0.684, 0.970)")
    for name, r in [
        ("weight of U=+ve", answer.weights["U"]["+ve"]),
        ("Pr(S=-ve | no)", answer.entries["S"]["no"]["-ve"]),
    ]:
        _, _, interval, below, above = rows[name]
        assert interval == r.interval()
        for cell, block in ((below, r.below), (above, r.above)):
            if block is None:
                assert cell == "nothing"
            else:
                case = oddly.answers.as_features(block.instance)
                assert stops[cell.removeprefix("case ")] == f"{case} becomes {block.becomes}"


def test_inputs_decided_differently_are_shown_with_their_direction_from_the_other_s_decision_to_this_one_s(full):
    table = next(
        b for b in full.section("comparison").blocks if isinstance(b, Table) and b.head == ("instance", "from → to")
    )
    assert table.rows == (("U=+ve, B=+ve, S=-ve", "no → yes"),)


def test_the_pictures_are_the_diagram_its_differences_and_the_path(full):
    pictures = [b for s in full.sections for b in s.blocks if isinstance(b, Picture)]
    odd = oddly.compile(oddly.examples.pregnancy())
    assert pictures[0].svg == oddly.draw.svg(odd)
    assert pictures[0].text == oddly.draw.text(odd)
    assert pictures[1].svg == oddly.draw.svg(odd, against=oddly.examples.pregnancy().replace(prior=["0.6", "0.4"]))
    assert pictures[2].svg == oddly.draw.svg(odd, instance=CASE)


def test_digests_are_of_the_file_and_of_the_numbers_in_it(full, files, tmp_path):
    facts = dict(full.section("classifier").blocks[0].rows)
    assert facts["SHA-256 of the file"] == hashlib.sha256((files / "old.json").read_bytes()).hexdigest()
    spaced = json.dumps(json.loads((files / "old.json").read_text()), indent=7)
    (tmp_path / "same.json").write_text(spaced)
    again = dict(report(tmp_path / "same.json").section("classifier").blocks[0].rows)
    assert again["SHA-256 of the file"] != facts["SHA-256 of the file"]
    assert again["SHA-256 of the model"] == facts["SHA-256 of the model"]
    text = canonical_json(oddly.examples.pregnancy())
    assert facts["SHA-256 of the model"] == hashlib.sha256(text.encode()).hexdigest()
    assert json.loads(text)["kind"] == "naive-bayes"


# ---- every kind of classifier ----


@pytest.mark.parametrize("make", [card, board, network, oddly.examples.tic_tac_toe])
def test_every_kind_of_classifier_has_its_report(make):
    model = make()
    case = {v.name: v.values[0] for v in model.variables}
    found = report(model, cases=[case], protected=model.variables[0].name, rules=[f"ignores {model.variables[0].name}"])
    assert found.instances == oddly.compile(model).instances
    statuses = {f.question: f.status for f in found.findings}
    rule, hinges = (
        statuses[f"ignores {model.variables[0].name}"],
        statuses[f"no decision hinges on {model.variables[0].name}"],
    )
    assert rule == hinges
    for text in (found.html(), found.markdown(), found.json()):
        for label in model.labels:
            assert label in text
    Page(found.html())


def test_what_cannot_be_answered_says_why():
    odd = oddly.compile(card())
    other = oddly.compile(card().replace(cutoff=3), order=list(odd.order))
    found = report(odd ^ other)
    ranges = found.section("ranges")
    assert ranges.findings[0].status == "unanswered"
    assert "combined from others" in ranges.blocks[0].text
    assert bool(found) is True
    assert "no model to prove it against" in found.markdown()


def test_a_large_diagram_is_drawn_in_groups_and_a_long_table_is_cut():
    names = [f"a{i}" for i in range(170)]
    wide = oddly.Scorecard([oddly.Points(name, ["x", "y"], [0, 1]) for name in names], cutoff=85)
    found = report(wide, seconds=20)
    assert "nodes in groups" in found.section("diagram").blocks[0].svg
    table = next(b for b in found.section("ranges").blocks if isinstance(b, Table))
    assert len(table.rows) + table.left_out == 2 * 170 + 2
    assert f"and {table.left_out} more" in found.html()


def test_a_part_that_takes_too_long_is_left_out_with_a_word(monkeypatch):
    def slowly(asked: ReportRequest, section):
        for _ in range(100):
            time.sleep(0.02)
            poll("dreaming", 1, 2)

    monkeypatch.setattr(parts, "decisions", slowly)
    found = report(oddly.examples.pregnancy(), seconds=0.1)
    late = found.section("decisions")
    assert late.findings[0].status == "undecided"
    assert "It took more than 0.1 seconds" in late.blocks[0].text
    with pytest.raises(oddly.TooLarge):
        bool(found)


def test_a_part_that_tells_no_progress_says_how_long_it_took(monkeypatch):
    def slowly(asked, section):
        time.sleep(0.2)
        return section

    monkeypatch.setattr(parts, "decisions", slowly)
    found = report(oddly.examples.pregnancy(), seconds=0.1)
    assert "This took 0.2" in found.section("decisions").blocks[-1].text
    assert "cannot be stopped" in found.section("decisions").blocks[-1].text


def test_a_mistake_is_an_error_and_not_a_page():
    model = oddly.examples.pregnancy()
    for options, error in [
        ({"cases": [{"X": "+ve"}]}, oddly.UnknownName),
        ({"cases": [{"U": "maybe"}]}, oddly.UnknownValue),
        ({"rules": ["ignores X"]}, oddly.UnknownName),
        ({"protected": "X"}, oddly.UnknownName),
        ({"seconds": 0}, oddly.ModelError),
    ]:
        with pytest.raises(error):
            report(model, **options)


# ---- three renderings ----


def test_the_three_renderings_have_the_same_tables(full):
    page, text, told = Page(full.html()), full.markdown(), json.loads(full.json())
    assert [s["id"] for s in told["sections"]] == [s.id for s in full.sections]
    for section in full.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                rows = [list(map(str, row)) for row in block.rows]
                assert any([row[: len(block.head)] for row in table[1:]] == rows for table in page.tables)
                assert all(unescaped(cell) in unescaped(text) for row in rows for cell in row)


def unescaped(markdown):
    return re.sub(r"\\(.)", r"\1", markdown).replace("&amp;", "&").replace("\n", " ")


def test_a_report_is_the_same_again_but_for_date_and_versions(full, files):
    again = report(
        files / "old.json", against=files / "new.json", rules=RULES, cases=[CASE, {"U": "+ve"}], protected="B"
    )
    assert again.html() == full.html()
    assert again.json() == full.json()
    assert full.made["date"] == "2023-11-14 22:13:20 UTC"
    assert full.made["Oddly"] == oddly.__version__


def test_a_page_stands_alone_and_runs_nothing(full):
    text = full.html()
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|url\(|@import|<script|<link|<img|\bon\w+=", text)
    assert "default-src 'none'" in text


def test_a_page_is_well_formed_and_speaks_to_those_who_cannot_see_it(full):
    page = Page(full.html())
    assert ("html", {"lang": "en"}) in page.tags
    assert sum(tag == "h1" for tag, _ in page.tags) == 1
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    tables = sum(tag == "table" for tag, _ in page.tags)
    assert sum(tag == "caption" for tag, _ in page.tags) == tables
    assert all(a.get("scope") in ("row", "col") for tag, a in page.tags if tag == "th")
    assert all(a.get("role") == "img" or a.get("aria-hidden") for tag, a in page.tags if tag == "svg")
    assert "@media print" in full.html()
    assert "prefers-color-scheme: dark" in full.html()


def test_names_are_only_names_in_every_rendering():
    values = [HOSTILE, "b"]
    model = oddly.Scorecard(
        [oddly.Points(HOSTILE, values, [0, 2]), oddly.Points("b", ["1. x", "- y"], [0, 1])],
        cutoff=2,
        class_name=f"{HOSTILE}?",
        class_values=[f"{HOSTILE}!", "no"],
    )
    found = report(model, cases=[{HOSTILE: HOSTILE, "b": "- y"}], protected=HOSTILE, title=HOSTILE)
    page = Page(found.html())
    assert {tag for tag, _ in page.tags} <= {
        *(
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "main",
            "header",
            "h1",
            "h2",
            "p",
            "section",
            "div",
            "table",
        ),
        *(
            "caption",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "a",
            "span",
            "nav",
            "ol",
            "li",
            "figure",
            "figcaption",
            "footer",
        ),
        *("dl", "dt", "dd", "pre", "code", "svg", "g", "desc", "rect", "path", "circle", "polygon", "text", "line"),
    }
    assert "\x00" not in found.html() + found.markdown()
    text = found.markdown()
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)<script|(?<!\\)\[z\]|(?<!\\)`x`", outside)
    for table in re.findall(r"((?:^\|.*\|$\n?)+)", outside, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.strip().split("\n")}
        assert len(widths) == 1
    assert json.loads(found.json())["title"] == HOSTILE


def test_it_is_written_as_its_name_says(full, tmp_path):
    for name, start in [("a.html", "<!DOCTYPE html>"), ("a.md", "# Report on old.json"), ("a.json", "{")]:
        full.save(tmp_path / name)
        assert (tmp_path / name).read_text().startswith(start)
    with pytest.raises(oddly.FormatError, match="expected a name that ends in"):
        full.save(tmp_path / "a.doc")


# ---- the command ----


@pytest.fixture
def run(capsys, monkeypatch, files):
    monkeypatch.chdir(files)

    def run(*arguments):
        capsys.readouterr()
        code = oddly.cli.main(["report", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_the_command_writes_the_page_and_ends_with_its_verdict(run, files):
    code, out, err = run("old.json", "--rules", "rules.txt", "-o", "page.html")
    assert (code, err) == (0, "written to page.html\n")
    assert out.startswith("Report on old.json: 2 of 2 verdicts hold, over 8 instances.")
    Page((files / "page.html").read_text())
    code, out, _ = run("old.json", "--against", "new.json", "--format", "json")
    assert code == 1
    assert json.loads(out)["findings"][1]["status"] == "fails"
    code, out, _ = run("example:pregnancy", "--protected", "B")
    assert code == 1
    assert out.startswith("# Report on example:pregnancy")
    assert run("old.json", "--json", "-o", "page.md")[1].startswith('{"written": "page.md"')


def test_the_page_holds_the_command_that_makes_it_again(run, files):
    cases = ["--case=U=+ve,B=-ve,S=+ve", "--case", "U=-ve"]
    run(
        "old.json",
        "--against=new.json",
        "--rules",
        "rules.txt",
        "--rule=ignores B",
        *cases,
        "--order",
        "U,B,S",
        "-o",
        "a.html",
    )
    first = (files / "a.html").read_text()
    typed = next(words for words in Page(first).words if words.startswith("oddly report"))
    (files / "a.html").unlink()
    run(*shlex.split(typed)[2:])
    assert (files / "a.html").read_text() == first


def test_a_mistake_on_the_command_line_is_one_sentence(run, files):
    for arguments in (
        ["old.json", "--case", "U"],
        ["old.json", "--case", "X=1"],
        ["old.json", "-o", "page.doc"],
        ["old.json", "-o", "old.json"],
        ["old.json", "--rules", "nothing.txt"],
        ["old.json", "--rule", "be good"],
        ["old.json", "--seconds", "0"],
        ["old.json", "--protected", "X"],
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert err.startswith("oddly: ")


def test_a_case_reads_back_as_it_is_written():
    from oddly.cli.texts import assignments, parts_of

    case = {"age": "[30, 40)", 'a "b"': "x", "U": "+ve"}
    variables = [Variable(name, (value, "other")) for name, value in case.items()]
    assert assignments(parts_of(comma_text(f"{name}={value}" for name, value in case.items())), variables) == case


def test_a_drawing_too_wide_to_be_read_on_a_page_is_of_groups():
    names = [f"value number {i}" for i in range(9)]
    points = [oddly.Points(f"a{i}", names, [(7 * i + j) * j % 11 for j in range(9)]) for i in range(3)]
    wide = oddly.compile(oddly.Scorecard(points, cutoff=14))
    assert wide.reduced_size < parts.LEGIBLE
    assert float(re.search(r'width="([\d.]+)"', oddly.draw.svg(wide))[1]) > parts.WIDEST
    page = oddly.report(wide, cases=[dict.fromkeys(wide.order, names[0])]).html()
    assert '<circle class="node' not in page
    assert page.count("nodes in groups; widths are shares") == 2  # the diagram, and the path
    assert '<circle class="node' in oddly.report(oddly.examples.pregnancy()).html()


def test_a_notebook_shows_the_page_in_a_frame(full):
    shown = HTMLParser()
    frames = []
    shown.handle_starttag = lambda tag, given: frames.append((tag, dict(given)))
    shown.feed(full._repr_html_())
    assert [(tag, given["srcdoc"]) for tag, given in frames] == [("iframe", full.html())]


def test_the_blocks_of_a_report_are_its_summary_and_those_of_all_sections(full):
    blocks = full.blocks()
    assert [row[0] for row in blocks[1].rows] == [finding.question for finding in full.findings]
    assert [b for b in blocks if not isinstance(b, Paragraph)][1:] == [
        b for s in full.sections for b in s.blocks if not isinstance(b, Paragraph)
    ]


def test_a_case_of_a_scorecard_shows_its_points():
    found = report(card(), cases=[{"income": "mid", "sex": "m"}])
    assert found.section("case-1").data["points"]["by_attribute"] == {"income": 1.5, "sex": 1}
    assert "2.5, cut-off 2: income 1.5, sex 1" in found.html()
