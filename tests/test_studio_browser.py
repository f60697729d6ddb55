# SPDX-License-Identifier: Apache-2.0
"""The studio in a real browser: the first minute of a newcomer, by mouse, by keyboard, and with hostile names.

With ODDLY_SCREENSHOTS=docs the pictures of docs/studio.md are taken anew.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import oddly
from oddly.cli.demo import random_model
from oddly.formats import model_to_json

playwright = pytest.importorskip("playwright.sync_api", reason="the studio's browser tests need playwright")
pytest.importorskip("uvicorn", reason="the studio needs uvicorn")
pytest.importorskip("starlette", reason="the studio needs starlette")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("the studio's browser tests need Chromium", allow_module_level=True)

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
MORE_FLAGS = "--disable-component-update --disable-sync"
SERVER = "import sys; from oddly.cli.studio import run; sys.exit(run(browser=False, max_nodes=10**8))"
PATIENCE = 30_000  # ms; machines differ
playwright.expect.set_options(timeout=PATIENCE)
DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
}"""

CLINIC = oddly.Network(
    [
        oddly.Node("smoker", ["yes", "no"], [], [["0.3", "0.7"]]),
        oddly.Node("disease", ["present", "absent"], ["smoker"], [["0.3", "0.7"], ["0.1", "0.9"]]),
        oddly.Node("cough", ["none", "dry", "wet"], ["disease"], [["0.2", "0.3", "0.5"], ["0.7", "0.2", "0.1"]]),
        oddly.Node("fever", ["yes", "no"], ["disease"], [["0.6", "0.4"], ["0.1", "0.9"]]),
        oddly.Node("xray", ["shadow", "clear"], ["disease"], [["0.8", "0.2"], ["0.05", "0.95"]]),
    ],
    "clinic",
)
XRAY_2 = oddly.Node("xray", ["shadow", "clear"], ["disease"], [["0.6", "0.4"], ["0.1", "0.9"]])
SUCCESSOR = oddly.Network([*CLINIC.nodes[:4], XRAY_2], "clinic")
CHOICE = {"class_": "disease", "attributes": ["cough", "fever", "xray"]}


@pytest.fixture(scope="module")
def address():
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().strip()
    process.send_signal(signal.SIGINT)
    process.wait(60)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        try:
            launched = started.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS.split(), *MORE_FLAGS.split()])
        except playwright.Error as error:
            pytest.skip(f"Chromium does not start: {str(error).splitlines()[0]}")
        yield launched
        launched.close()


@contextmanager
def opened(browser, address, **options):
    """A page on which nothing goes wrong and which asks nobody else for anything."""
    options.setdefault("viewport", {"width": 1280, "height": 800})
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    wrong = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda r: None if r.url.startswith((address.split("?")[0], "blob:")) else wrong.append(r.url))
    page.goto(address)
    says(page, "pregnancy")
    yield page
    assert wrong == []
    context.close()


def says(page, words):
    """Wait until the line at the foot says this."""
    playwright.expect(page.locator("#foot")).to_contain_text(words, timeout=PATIENCE)


def tab(page, question):
    page.get_by_role("tab", name=question).click()


def settled(page):
    """Wait until everything that was asked is answered."""
    playwright.expect(page.locator("#foot")).not_to_contain_text(" being ", timeout=PATIENCE)
    playwright.expect(page.locator(".pending, .stale")).to_have_count(0, timeout=PATIENCE)


def drop(page, name, network, folder):
    oddly.write(network, folder / name)
    page.evaluate(DROP, [name, (folder / name).read_text()])


def drag(page, slider, start, end):
    """Move a slider's thumb from one share of its way to another, with the mouse."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    at = [box["x"] + 8 + share * (box["width"] - 16) for share in (start, end)]
    page.mouse.move(at[0], box["y"] + box["height"] / 2)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(at[0] + (at[1] - at[0]) * step / 5, box["y"] + box["height"] / 2)
    page.mouse.up()


def picture(page, name):
    if folder := os.environ.get("ODDLY_SCREENSHOTS"):
        page.mouse.move(640, 780)
        page.wait_for_timeout(700)
        page.screenshot(path=Path(folder) / f"studio-{name}.png")


def test_the_first_minute_of_a_newcomer(browser, address, tmp_path):
    with opened(browser, address, color_scheme="light") as page:
        assert "token" not in page.url
        says(page, "U=+ve, B=+ve, S=+ve: yes, because S=+ve; whatever U and B are.")
        assert page.locator("svg.canvas .pen").count() > 0

        # a test comes back negative
        page.get_by_role("radiogroup", name="S", exact=True).get_by_text("-ve").click()
        page.get_by_role("radiogroup", name="B", exact=True).get_by_text("-ve").click()
        says(page, "U=+ve, B=-ve, S=-ve: no, because B=-ve and S=-ve")
        assert page.locator(".answer .decision").inner_text() == "no"
        picture(page, "why")

        # the prior is dragged past the edge of its stretch
        tab(page, "How much may it change?")
        says(page, "Pr(P=yes) may be in [0.684, 0.970).")
        prior = page.locator("#models").get_by_role("slider", name="Pr(P=yes)")
        drag(page, prior, 0.87, 0.75)
        says(page, "pregnancy decides all 8 instances as before")
        drag(page, prior, 0.75, 0.6)
        says(page, "1 of 8 instances otherwise than before (1 yes → no)")
        assert page.locator(".verdict .big").inner_text() == "1 of 8 flips"
        assert page.locator(".verdict .features").all_inner_texts() == ["U=+ve, B=+ve, S=-ve"]
        picture(page, "numbers")
        page.get_by_role("button", name="Undo").click()
        says(page, "as before")
        page.get_by_role("button", name="Undo").click()
        says(page, "as opened")
        page.get_by_role("button", name="Redo").click()
        says(page, "as before")

        # a network is dropped, and its successor
        drop(page, "clinic.bif", CLINIC, tmp_path)
        playwright.expect(page.locator(".card.shown h2")).to_have_text("clinic.bif")
        page.locator(".card.shown").get_by_label("Class").select_option("disease")
        says(page, "clinic.bif is as opened")
        drop(page, "clinic-2.bif", SUCCESSOR, tmp_path)
        says(page, "clinic.bif and clinic-2.bif: Not the same classifier")
        difference = oddly.compare(
            oddly.read(tmp_path / "clinic.bif", **CHOICE), oddly.read(tmp_path / "clinic-2.bif", **CHOICE)
        )
        says(page, repr(difference))
        assert page.locator(".answer .big").inner_text() == f"{difference.count} of {difference.instances}"
        shown = page.locator(".answer .cases .features").all_inner_texts()
        assert sorted(shown) == sorted(
            ", ".join(f"{k}={v}" for k, v in case.items()) for case in difference.examples(8)
        )
        picture(page, "differ")

        # what was done, and something to keep
        tab(page, "What did I do?")
        playwright.expect(page.get_by_label("Python", exact=True)).to_contain_text("oddly.compare(model, other)")
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save the model").click()
        assert json.loads(Path(saved.value.path()).read_text())["format"] == "oddly-model"
        said = page.locator(".keep p")
        page.get_by_role("button", name="Download the report").click()
        playwright.expect(said).not_to_have_text("Writing the report…", timeout=60_000)
        assert re.search(r"Saved as clinic-report\.html|writes no reports", said.inner_text()), said.inner_text()


def test_rules_and_what_should_not_matter(browser, address):
    with opened(browser, address, color_scheme="dark") as page:
        tab(page, "Does it obey?")
        for rule in ("never no if S=+ve", "if U=+ve then yes"):
            page.get_by_label("A rule", exact=True).fill(rule)
            page.keyboard.press("Enter")
        page.get_by_role("checkbox", name="B").check()
        says(page, "of 2 rules, 1 holds and 1 fails over all 8 instances; decisions hinge on B")
        page.locator(".rules .case").first.click()
        tab(page, "What does it decide, and why?")
        says(page, "U=+ve, B=-ve, S=-ve: no")
        tab(page, "Does it obey?")
        picture(page, "obey")


def test_all_of_it_by_keyboard(browser, address):
    with opened(browser, address) as page:
        page.get_by_role("tab", name="What does it decide, and why?").focus()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.textContent") == "How much may it change?"
        says(page, "as opened")
        page.get_by_role("slider", name="threshold").first.focus()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        says(page, "threshold at 0.903")
        page.keyboard.press("Control+z")
        says(page, "threshold at 0.902")
        page.get_by_role("tab", name="How much may it change?").focus()
        page.keyboard.press("Home")
        page.get_by_role("radio", name="+ve").first.focus()
        page.keyboard.press("ArrowRight")
        says(page, "U=-ve")
        assert page.evaluate("document.activeElement.checked")
        page.locator("[data-node][tabindex='0']").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        told = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert told.startswith("S: 6 of 8 instances come by here. Reached while Pr(P=yes)")
        playwright.expect(page.locator(".details")).to_contain_text(told)
        assert page.locator("#foot").get_attribute("aria-live") == "polite"


def test_everything_to_press_has_a_name(browser, address):
    with opened(browser, address) as page:
        for question in ("What does it", "How much", "How do two", "Does it obey?", "What did I do?"):
            tab(page, question)
            settled(page)
            unnamed = page.evaluate(
                """() => [...document.querySelectorAll("button, input, select")].filter((e) =>
                    !(e.textContent.trim() || e.getAttribute("aria-label") || e.labels?.length)).map((e) => e.outerHTML)"""
            )
            assert unnamed == []


def test_two_pages_do_not_disturb_each_other(browser, address):
    with opened(browser, address) as one, opened(browser, address) as two:
        for page in (one, two):
            tab(page, "How much may it change?")
        drag(one, one.locator("#models").get_by_role("slider", name="Pr(P=yes)"), 0.87, 0.5)
        says(one, "otherwise than before")
        drag(two, two.locator("#models").get_by_role("slider", name="threshold"), 0.9, 0.8)
        says(two, "as before")
        says(one, "otherwise than before")


def test_names_that_look_like_markup_are_shown_as_they_are(browser, address):
    evil = '<img src=x onerror="alert(1)">'
    model = oddly.Scorecard(
        [
            oddly.Points(evil, ["<b>1</b>", "'\"&amp;"], [1, 0]),
            oddly.Points("__proto__", ["constructor", "no"], [1, 0]),
        ],
        cutoff=1,
    )
    with opened(browser, address) as page:
        page.evaluate(DROP, [f"{evil}.json", json.dumps(model_to_json(model))])
        says(page, f"{evil}.json, {evil}=<b>1</b>, __proto__=constructor: yes")
        for question in ("How much", "How do two", "Does it obey?", "What did I do?"):
            tab(page, question)
            settled(page)
        assert page.locator("img, b b").count() == 0


def test_names_that_turn_the_writing_or_are_javascripts_own(browser, address):
    model = oddly.Scorecard(
        [
            oddly.Points("constructor", ["a\u202eb", "c\x07d"], [1, 0]),
            oddly.Points("toString", ["e", "f"], [1, 0]),
        ],
        cutoff=1,
    )
    with opened(browser, address) as page:
        page.evaluate(DROP, ["turned.json", json.dumps(model_to_json(model))])
        says(page, "turned.json, constructor=a\ufffdb, toString=e: yes")
        settled(page)
        assert not re.search("[\u202e\x07]", page.locator("body").inner_text())
        page.get_by_role("radiogroup", name="constructor", exact=True).get_by_role("radio", name="not known").check()
        page.get_by_role("radiogroup", name="toString", exact=True).get_by_role("radio", name="f", exact=True).check()
        says(page, "turned.json, toString=f:")
        settled(page)
        assert page.locator(".big").inner_text() == "Still open"
        lit = page.locator("svg.canvas .pen").count()
        page.get_by_role("radiogroup", name="toString", exact=True).get_by_role("radio", name="e", exact=True).check()
        says(page, "turned.json, toString=e:")
        assert lit > 0
        settled(page)
        assert page.locator(".attribute.needed .what").all_inner_texts() == ["toString"]


def test_a_file_too_large_is_told_before_it_is_sent(browser, address):
    with opened(browser, address) as page:
        page.evaluate(DROP.replace("[text]", "[new Uint8Array(text)]"), ["large.bif", (16 << 20) + 1])
        playwright.expect(page.get_by_role("alert")).to_contain_text("large.bif: more than 16 MB.")


def test_a_bad_file_is_told_and_changes_nothing(browser, address):
    with opened(browser, address) as page:
        page.evaluate(DROP, ["bad.bif", "network x { variable"])
        alert = page.get_by_role("alert")
        playwright.expect(alert).to_contain_text("bad.bif:1:13  expected '}'")
        says(page, "pregnancy, U=+ve")


def test_a_large_diagram_is_drawn_in_groups_with_the_way_of_an_instance(browser, address):
    model = random_model(24)
    with opened(browser, address) as page:
        page.evaluate(DROP, ["large.json", json.dumps(model_to_json(model))])
        playwright.expect(page.locator("svg.grouped .pen")).to_have_count(1)
        settled(page)
        lit = page.locator("svg.grouped .block.on")
        playwright.expect(lit).to_have_count(25)  # one group of every depth, and a decision
        picture(page, "groups")
        page.locator("svg.grouped .block").first.hover()
        playwright.expect(page.locator(".details")).to_contain_text("all 16,777,216 instances come by here.")
        page.locator("[data-node][tabindex='0']").focus()
        page.keyboard.press("ArrowDown")
        told = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert re.match(r"x\d+: \d+ nodes?, passed by .*instances come by here\.$", told)
        before = page.locator("svg.grouped .pen").get_attribute("d")
        first = page.get_by_role("radiogroup", name=oddly.compile(model).order[0], exact=True)
        first.get_by_role("radio", name="no", exact=True).check()
        playwright.expect(page.locator("svg.grouped .pen")).not_to_have_attribute("d", before)
        first.get_by_role("radio", name="not known").check()
        playwright.expect(lit.nth(25)).to_be_attached()  # there is more than one way, and no line for it
        assert page.locator("svg.grouped .pen").count() == 0


def test_a_diagram_that_was_saved_opens_and_says_if_it_has_no_numbers(browser, address, tmp_path):
    odd = oddly.compile(oddly.examples.pregnancy())
    (odd ^ odd.restrict(U="-ve")).save(tmp_path / "either.odd")
    with opened(browser, address) as page:
        page.locator("#file").set_input_files(tmp_path / "either.odd")
        says(page, "either.odd, U=+ve, B=+ve, S=+ve: no, because S=+ve")
        tab(page, "How much may it change?")
        playwright.expect(page.locator(".panel")).to_contain_text(
            "Nothing can be moved here: this diagram was combined"
        )
        tab(page, "What did I do?")
        playwright.expect(page.get_by_label("Python", exact=True)).to_contain_text('oddly.load("either.odd")')
        assert page.get_by_role("button", name="Save the model").count() == 0
        says(page, "either.odd is a diagram of")


def test_of_hundreds_of_numbers_one_is_found_by_its_name(browser, address):
    values = [f"v{k}" for k in range(50)]
    points = [oddly.Points(f"a{i}", values, [(3 * i + k) % 7 for k in range(50)]) for i in range(6)]
    with opened(browser, address) as page:
        page.evaluate(DROP, ["many.json", json.dumps(model_to_json(oddly.Scorecard(points, cutoff=20)))])
        tab(page, "How much may it change?")
        says(page, "many.json is as opened")
        settled(page)
        sliders = page.locator(".panel").get_by_role("slider")
        playwright.expect(sliders).to_have_count(2)  # the rest is made when its group is opened
        page.locator(".group summary", has_text="a3").click()
        playwright.expect(sliders).to_have_count(42)
        page.get_by_role("button", name="Show all 50").click()
        playwright.expect(sliders).to_have_count(52)
        page.get_by_label("Find a number").fill("a5 v49")
        playwright.expect(sliders).to_have_count(1)
        page.get_by_role("textbox", name="points of a5=v49, as a number").fill("100")
        page.keyboard.press("Enter")
        says(page, "With points of a5=v49 at 100, many.json decides")


def test_what_a_naive_bayes_decides_can_be_chosen_and_undone(browser, address):
    with opened(browser, address) as page:
        card = page.locator(".card.shown")
        card.get_by_label("Positive value").select_option("no")
        playwright.expect(card.get_by_role("slider", name="Pr(P=no)")).to_have_count(1)
        card.get_by_text("From 3 attributes", exact=True).click()
        card.get_by_role("checkbox", name="B").uncheck()
        says(page, "pregnancy, U=+ve, S=+ve: yes")
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("button", name="Undo").click()
        says(page, "pregnancy, U=+ve, B=+ve, S=+ve: yes, because S=+ve")


def test_long_work_shows_its_progress_and_can_be_stopped(browser, address):
    with opened(browser, address) as page:
        page.evaluate(DROP, ["large.json", json.dumps(model_to_json(random_model(46)))])
        page.get_by_role("button", name="Stop").click()
        says(page, "large.json has no diagram: Stopped.")
        page.get_by_role("button", name="pregnancy", exact=True).click()
        says(page, "pregnancy, U=+ve, B=+ve, S=+ve: yes")


def test_a_narrow_window_shows_all_of_it_without_scrolling_sideways(browser, address):
    with opened(browser, address, viewport={"width": 400, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        tab(page, "How much may it change?")
        assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_names_of_any_length_stay_in_their_places_and_twins_are_told_apart(browser, address, tmp_path):
    long = "A very long name " * 20
    rows = {"yes": ["0.7", "0.3"], "no": ["0.2", "0.8"]}
    model = oddly.NaiveBayes(
        "<b>c</b>",
        ["yes", "no"],
        ["0.5", "0.5"],
        [oddly.CPT(long, ["v" * 300, "w"], rows), oddly.CPT("x", ["a", "b"], rows)],
    )
    with opened(browser, address) as page:
        drop(page, "long.json", model, tmp_path)
        says(page, "long.json")
        for question in ("What does it decide", "How much may", "How do two", "Does it obey", "What did I"):
            tab(page, question)
            settled(page)
            wider = "() => [...document.querySelectorAll('html, main > section, .panel')].map((e) => e.scrollWidth - e.clientWidth)"
            assert set(page.evaluate(wider)) == {0}
        drop(page, "long.json", model.replace(prior=["0.9", "0.1"]), tmp_path)
        says(page, "long.json and long.json (2): Not the same classifier")
        assert page.locator("h2").all_inner_texts()[:2] == ["long.json", "long.json (2)"]


def test_the_foot_tells_rules_that_fail_from_those_that_are_not_understood(browser, address):
    with opened(browser, address) as page:
        tab(page, "Does it obey?")
        for rule in ("ignores U", "nonsense", "never no if S=+ve"):
            page.get_by_label("A rule", exact=True).fill(rule)
            page.keyboard.press("Enter")
        says(page, "of 3 rules, 1 holds and 1 fails over all 8 instances, and 1 is not understood.")


def test_what_would_be_too_small_to_read_is_drawn_in_groups_until_asked_otherwise(browser, address, tmp_path):
    values = [f"value number {i}" for i in range(9)]
    card = oddly.Scorecard(
        [oddly.Points(f"a{i}", values, [(7 * i + j) * j % 11 for j in range(9)]) for i in range(4)], cutoff=18
    )
    with opened(browser, address) as page:
        drop(page, "card.json", card, tmp_path)
        says(page, "card.json")
        settled(page)
        playwright.expect(page.locator("svg.canvas.grouped")).to_have_count(1)
        page.get_by_role("button", name="Draw every node").click()
        playwright.expect(page.locator("svg.canvas.grouped")).to_have_count(0)
        assert page.locator("svg.canvas circle.node").count() > 10


def test_an_impossible_case_has_no_reason_and_cells_are_called_so(browser, address, tmp_path):
    half, never = ["1/2", "1/2"], ["1", "0"]
    rows = [("smell", ["foul", "none"], never, never), ("cap", ["flat", "bell"], half, ["1/3", "2/3"])]
    zeros = [oddly.CPT(name, values, {"good": good, "bad": bad}) for name, values, good, bad in rows]
    cards = {
        cut: oddly.Scorecard([oddly.Points("age", b.labels, [0, 1], b)], cutoff=1)
        for cut in (30, 40)
        for b in [oddly.Bins([cut])]
    }
    with opened(browser, address) as page:
        drop(page, "zeros.json", oddly.NaiveBayes("kind", ["good", "bad"], half, zeros), tmp_path)
        says(page, "zeros.json, smell=foul, cap=flat: good")
        playwright.expect(page.locator("#models")).to_contain_text("2 of these 4 inputs (50.0%) are impossible")
        page.get_by_role("radiogroup", name="smell").get_by_text("none", exact=True).click()
        says(page, "impossible under the model")
        playwright.expect(page.locator("#answers .big")).to_have_text("Impossible")
        drop(page, "old.json", cards[30], tmp_path)
        says(page, "old.json, age=<30: no")
        drop(page, "new.json", cards[40], tmp_path)
        says(page, "they differ on 1 of 3 cells")  # a second model is compared with the first at once
        playwright.expect(page.locator("#answers .answer")).to_contain_text("cell is decided differently.")


def test_nothing_said_of_one_model_is_shown_beside_another(browser, address, tmp_path):
    with opened(browser, address) as page:
        page.route("**/api/ask/why", lambda route: None)  # which never answers from now on
        drop(page, "clinic.bif", CLINIC, tmp_path)
        says(page, "clinic.bif is being asked")
        assert page.locator(".answer .decision").count() == 0
        page.unroute("**/api/ask/why")


def test_on_paper_nothing_is_cut_off(browser, address):
    with opened(browser, address) as page:
        settled(page)
        page.emulate_media(media="print")
        hidden = "() => [...document.querySelectorAll('main > section, .attributes')].filter((e) => e.scrollHeight > e.clientHeight + 2).length"
        assert page.evaluate(hidden) == 0
