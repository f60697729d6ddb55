# SPDX-License-Identifier: Apache-2.0
"""Files that are broken, huge, nested or malicious: a sentence that names the place, soon, and nothing else."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mutations
import oddly
from oddly import FormatError, OddlyError

A = "variable a { type discrete [ 2 ] { x, y }; }\n"
B = A.replace("variable a", "variable b")
NODE = "node a { states = (x y); } "
XML = """<BIF><NETWORK><VARIABLE><NAME>a</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>
<DEFINITION><FOR>a</FOR><TABLE>{}</TABLE></DEFINITION></NETWORK></BIF>"""
FORTY = [f"v{i}" for i in range(40)]
MANY_BIF = "".join(A.replace("variable a", f"variable {v}") + f"probability ({v}) {{ table 1, 0; }}\n" for v in FORTY)
STATES = '<state id="t"/><state id="f"/>'
MANY_XDSL = "".join(f'<cpt id="{v}">{STATES}<probabilities>1 0</probabilities></cpt>' for v in FORTY)

CASES = [
    # what the grammar does not expect
    (".bif", A + "probability (a) { table 0.2, ; }", "2:30  expected a number, found ';'"),
    (".bif", A + "probability (a) { table 0.2", "expected ',', ';' or a number, found the end of the file"),
    (".bif", A + "probability (a) { table 1.2.3, 0; }", "2:25  expected a number, found '1.2.3'"),
    (".bif", A + "probability (a) { table nan, 0.5; }", "2:25  expected a number, found 'nan'"),
    (".bif", A + "probability (a) { table 1/2, 1/2; }", "2:26  expected ',', ';' or a number, found '/'"),
    (".bif", "variable a {", "expected"),
    (".bif", "/*", "1:1  expected"),
    (".bif", 'network x { property "', "a property that ends with ';', found 'property'"),
    (".bif", "", "no variables"),
    (".net", NODE + "potential (a) { data = (0.5 0.5", "expected ';', found the end of the file"),
    (".net", 'node a { states = ("x" "y); }', "expected ';', found '\"'"),
    (".net", "", "no variables"),
    (".uai", "", "expected BAYES, found the end of the file"),
    (".uai", "BAYES 1 2 1 1 0 2 0.5", "expected a number, found the end of the file"),
    (".uai", "BAYES 1 2 1 1 0 2 0.5 0.5 7", "expected the end of the file, found '7'"),
    (".uai", "BAYES 1 two", "expected a number of values, found 'two'"),
    (".xmlbif", "", "not XML"),
    (".xmlbif", "<BIF>", "not XML"),
    (".xml", "<html/>", "1:1  expected <BIF> or <smile>, found <html>"),
    # kinds that are no tables of probabilities
    (".bif", "variable a { type continuous; }", "expected '[' or '{', found ';'"),
    (".bif", "variable a { type continuous [ 1 ] { x }; }", "a continuous variable"),
    (".net", "decision d { states = (x y); }", "a decision: an influence diagram"),
    (".net", "utility u { }", "a utility: an influence diagram"),
    (".net", "continuous node c { }", "a continuous variable has no table"),
    (".net", NODE + "potential (a) { model_data = (NoisyOR (a)); }", "given by an expression"),
    (".net", NODE + NODE.replace("a {", "b {") + "potential (a b) { data = (1 0 0 0); }", "a potential of 2 variables"),
    (".uai", "MARKOV 1 2 1 1 0 2 1 1", "a Markov network"),
    (".xml", XML.replace("<VARIABLE>", '<VARIABLE TYPE="utility">'), "a utility node"),
    (".xdsl", '<smile><nodes><noisymax id="n"/></nodes></smile>', "1:15  a noisy-MAX node"),
    (".xdsl", '<smile><nodes><equation id="n"/></nodes></smile>', "a continuous node"),
    (".xdsl", "<smile><nodes/><dynamic/></smile>", "a dynamic network"),
    # numbers
    (".bif", A + "probability (a) { table -0.5, 1.5; }", "a, x: a probability is not negative, found -0.5"),
    (".bif", A + "probability (a) { table 0.5, 0.500002; }", "the probabilities sum to 1.000002, not to 1"),
    (".bif", A + "probability (a) { table 1e999, 0; }", "expected a probability, found '1e999'"),
    (".net", NODE + "potential (a) { data = (1e999 0); }", "expected a probability, found '1e999'"),
    (".json", '{"format":"oddly-model","version":1,"kind":"network","nodes":[{"name":"a","values":["x"],'
     '"table":[["1e999"]]}]}', "a number too large for a probability"),
    (".bif", A + f"probability (a) {{ table 1{'0' * 10**6}, 0; }}", "a number of more than 4000 digits"),
    (".bif", A + f"probability (a) {{ table 0.{'3' * 10**6}x, 0; }}", "expected a number, found '0.333"),
    (".xml", XML.format("inf 0"), "expected a number, found 'inf'"),
    (".xml", XML.format("1_0 0"), "expected a number, found '1_0'"),
    (".xml", XML.format("٣ 0"), "expected a number, found '٣'"),
    # sizes
    (".bif", MANY_BIF + B + f"probability (b | {', '.join(FORTY)}) {{ default 1, 0; }}", "a table of 2,199,023,255,552"),
    (".xdsl", f'<smile><nodes>{MANY_XDSL}<deterministic id="z">{STATES}<parents>{" ".join(FORTY)}</parents>'
     "<resultingstates>t</resultingstates></deterministic></nodes></smile>", "a table of 2,199,023,255,552"),
    (".bif", "variable a { type discrete [ 1000000000000 ] { x }; }", "'a' should have '1000000000000' values, found 1"),
    (".uai", "BAYES 1 1000000000000", "expected a number of values, found '1000000000000'"),
    (".uai", "BAYES 1 999999999", "more than the file has entries"),
    (".uai", "BAYES 999999999", "more than the file has entries"),
    (".uai", f"BAYES {'9' * 10**6}", "expected the number of variables, found '999"),
    (".uai", f"BAYES 500 {'400 ' * 500}", "more values than the file has entries"),
    (".bif", MANY_BIF + B + f"probability (b | {', '.join(FORTY[:22])}) {{ default 1, 0; }}", "more than 1,000,000 numbers"),
    (".bif", A + "probability (a) { default 1, 0; default 1, 0; }", "a second default"),
    (".xml", XML.format("0.5"), "the table of a needs 2 numbers, found 1"),
    (".bif", A + "probability (a) { table 0.5, 0.5, 0; }", "the table of a needs 2 numbers, found 3"),
    (".net", NODE + "potential (a) { data = ((0.5 0.25) (0.25)); }", "nested 2 deep, but a has 0 parents"),
    # nesting
    (".net", NODE + f"potential (a) {{ data = {'(' * 10**5}0.5 0.5{')' * 10**5}; }}", "nested 100,000 deep"),
    (".net", NODE + "potential (a) { data = (0.5 0.5)); }", "the parentheses do not match"),
    (".xml", "<a>" * 10**5, "nested more than 50 deep"),
    (".json", "[" * 10**5, "nested too deeply"),
    # names
    (".bif", f"variable {'a' * 10**6} {{ type discrete [1] {{ x }}; }}", "a name of 1,000,000 characters"),
    (".bif", f'variable "{"a" * 10**6}', "expected a name, found '\"'"),
    (".json", '{"format": "' + "a" * 10**6 + '"}', "a text of 1,000,000 characters"),
    (".csv", f"attribute,value,points\n{'a' * 10**5},x,1\n", "x.csv:2  a cell of 100,000 characters"),
    (".csv", f"attribute,value,points\n{'a' * 10**6},x,1\n", "x.csv:2  field larger than field limit"),
    (".net", "node a { states = (x y) } potential (a) { data = (1 0); }", "expected ';', found '}'"),
    (".bif", A + A, "2:10  the variable 'a' stands twice"),
    (".bif", "variable a { type discrete [ 2 ] { x, x }; }", "the value 'x' stands twice"),
    (".bif", "variable a { type discrete [ 0 ] { }; }", "variable a: it has no values"),
    (".uai", "BAYES 1 0 1 1 0 0", "it has no values"),
    (".xdsl", '<smile><nodes><cpt id="a"><probabilities></probabilities></cpt></nodes></smile>', "it has no values"),
    (".xdsl", "<smile><nodes><cpt/></nodes></smile>", "<cpt> has no id"),
    # tables and arcs that do not fit
    (".bif", A, "1:10  the variable 'a' has no table of probabilities"),
    (".net", NODE, "the variable 'a' has no table of probabilities"),
    (".bif", A + "probability (a) { table 1, 0; }" * 2, "2:45  a second table for 'a'"),
    (".bif", A + "probability (a) { table 1, 0; table 1, 0; }", "the table of a is given twice"),
    (".bif", A + "probability (a | c) { table 1, 0; }", "names 'c', which is no variable of the file"),
    (".bif", A + "probability (a | a) { table 1, 0, 1, 0; }", "'a' stands twice"),
    (".bif", A + B + "probability (a | b) { (x) 1, 0; (y) 0, 1; } probability (b | a) { (x) 1, 0; (y) 0, 1; }",
     "the arcs form a cycle"),
    (".bif", A + B + "probability (b) { table 1, 0; } probability (a | b) { (x) 1, 0; }", "no row (y) for a, and no default"),
    (".bif", A + B + "probability (b) { table 1, 0; } probability (a | b) { (x) 1, 0; (x) 1, 0; }", "(x) stands twice"),
    (".bif", A + B + "probability (b) { table 1, 0; } probability (a | b) { (z) 1, 0; }", "b='z': no such value"),
    (".bif", A + B + "probability (b) { table 1, 0; } probability (a | b) { (x, x) 1, 0; }", "a row names 1 values"),
    (".bif", A + B + "probability (b) { table 1, 0; } probability (a | b) { (x) 1; }", "a row of a needs 2 numbers, found 1"),
    (".uai", "BAYES 2 2 2 2 2 0 1 2 1 0 4 1 0 1 0 4 1 0 1 0", "the arcs form a cycle"),
    (".uai", "BAYES 1 2 1 1 5 2 0.5 0.5", "variable 5 of 1; they are counted from 0"),
    (".xdsl", f'<smile><nodes><cpt id="a">{STATES}<probabilities>1 0</probabilities></cpt><deterministic id="z">{STATES}'
     "<parents>a</parents><resultingstates>t</resultingstates></deterministic></nodes></smile>", "needs 2 rows, found 1"),
    # entities and other files
    (".xml", '<!DOCTYPE BIF [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><BIF>&b;</BIF>', "XML entities"),
    (".xml", '<!DOCTYPE BIF [<!ENTITY x SYSTEM "file:///etc/hostname">]><BIF>&x;</BIF>', "XML entities"),
    (".xml", '<!DOCTYPE BIF SYSTEM "http://127.0.0.1:9/bif.dtd"><BIF/>', "refers to another file"),
    # encodings
    (".bif", A.encode("utf-16"), "UTF-16 text; save it as UTF-8"),
    (".net", "node é".encode("latin-1"), "x.net:1  not UTF-8 text, at byte 5"),
    (".xml", XML.replace(">a<", ">é<").encode("latin-1"), "not XML"),
    (".xml", '<?xml version="1.0" encoding="klingon"?><BIF/>', "unknown encoding"),
    (".xml", '<?xml version="1.0" encoding="shift_jis"?><BIF/>', "not XML that can be read"),
    (".dsl", "net x {}", "save it as .xdsl"),
]  # fmt: skip


def titled(case):
    return f"{case[0]} {case[2][:40]}"


@pytest.mark.parametrize(("suffix", "content", "message"), CASES, ids=map(titled, CASES))
def test_a_hostile_file_is_an_error_that_names_the_place(suffix, content, message, tmp_path):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(OddlyError) as error:
        oddly.read(path)
    assert message in str(error.value)
    assert f"x{suffix}" in str(error.value)
    assert len(str(error.value)) < 1500


def test_the_caret_points_at_what_was_found(tmp_path):
    (tmp_path / "x.bif").write_text(A + "probability (a) { table 0.2, ; }\n")
    with pytest.raises(FormatError) as error:
        oddly.read(tmp_path / "x.bif")
    _, line, caret = str(error.value).split("\n")
    assert line[caret.index("^")] == ";"


def test_what_looks_odd_and_is_right_is_read(tmp_path):
    for name, content in {
        "bom.bif": "\ufeff" + A + "probability (a) { table 1, 0; }",
        "near.bif": A + "probability (a) { table 0.5, 0.5000005; }",  # within a millionth, as published tables are
        "utf16.xml": XML.format("0.5 0.5").encode("utf-16"),
    }.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        assert oddly.read(tmp_path / name).nodes[0].values == ("x", "y")


@pytest.mark.parametrize("suffix", list(mutations.SEEDS))
def test_only_our_own_errors_escape_from_mutated_files(suffix, tmp_path):
    assert mutations.attacked(suffix, tmp_path, rounds=250, seed=0) > 0


@pytest.mark.parametrize("suffix", list(mutations.SEEDS))
@given(text=st.text(st.characters(codec="utf-8") | st.sampled_from(sorted('{}()[];,|"=<>/&%#0.5ab \n'))))
@settings(max_examples=60, deadline=None)
def test_only_our_own_errors_escape_from_any_text(text, suffix, tmp_path_factory):
    path = tmp_path_factory.mktemp("any") / f"x{suffix}"
    path.write_bytes(text.encode())
    with pytest.raises(OddlyError):
        oddly.read(path)


# ---- binary tables, which could lead a reader anywhere in memory ----

READ_ALL = """
import sys, oddly
from oddly.learning import read_table
for path in sys.argv[1:]:
    print(path, flush=True)
    try:
        [list(column) for column in read_table(path).values()]
    except oddly.OddlyError as error:
        assert str(error).startswith(path), error
"""


def write_arrow(table, path):
    from pyarrow import feather

    feather.write_feather(table, path, compression="uncompressed")


def test_no_word_of_an_arrow_file_crashes_the_process(tmp_path):
    pa = pytest.importorskip("pyarrow")
    names = pa.array(["x", "yy", "zzz", "é"])
    write_arrow(pa.table({"name": names, "kind": names.dictionary_encode()}), tmp_path / "t.arrow")
    data = (tmp_path / "t.arrow").read_bytes()
    paths = []
    for at in range(0, len(data) - 4, 4):
        paths.append(tmp_path / f"{at}.arrow")
        paths[-1].write_bytes(data[:at] + (0x7FFFFF00).to_bytes(4, "little") + data[at + 4 :])
    ran = subprocess.run([sys.executable, "-c", READ_ALL, *map(str, paths)], capture_output=True, text=True)
    assert ran.returncode == 0, (ran.stdout.splitlines()[-1], ran.stderr)


def test_letters_that_are_no_utf8_are_an_error_of_the_file(tmp_path):
    write_arrow(pytest.importorskip("pyarrow").table({"name": ["qqqq", "x"]}), tmp_path / "t.arrow")
    (tmp_path / "t.arrow").write_bytes((tmp_path / "t.arrow").read_bytes().replace(b"qqqq", b"q\xff\xfeq"))
    with pytest.raises(FormatError, match=r"t\.arrow: .*UTF8"):
        oddly.learn(tmp_path / "t.arrow", target="name")
