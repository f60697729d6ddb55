# SPDX-License-Identifier: Apache-2.0
"""Scorecards as people keep them: bins as they write them, the usual headings, and raw numbers held against both."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly.formats.bin_texts import bins_of_texts, interval_of
from oddly.model import Bins, Points, Scorecard
from oddly.model.numbers import written

decimals = st.decimals(-1000, 1000, places=2, allow_nan=False).map(Fraction)
fractions = st.fractions(-50, 50, max_denominator=30)
cut_points = st.lists(decimals | fractions | st.integers(-(10**9), 10**9).map(Fraction), unique=True, max_size=6).map(
    sorted
)


@given(cut_points, st.sampled_from(["left", "right"]))
def test_the_labels_of_bins_read_back(cuts, closed):
    bins = Bins(cuts, closed)
    found, values = bins_of_texts(bins.labels)
    assert values == bins.labels
    assert found.cuts == bins.cuts
    assert not cuts or found.closed == bins.closed


def beside(cut):
    """A cut, and numbers so close to it that nothing lies between."""
    tiny = Fraction(1, 10**12)
    return [cut - tiny, cut, cut + tiny]


SPELLED = {
    "left": {
        "below": ["<{}", "< {}", "under {}", "below {}", "less than {}", "(-inf, {})", "[-inf;{})"],
        "between": ["[{}, {})", "[{},{})", "[ {} ; {} )", "{}<=X<{}", "{} <= age < {}"],
        "above": [">={}", ">= {}", "{}+", "{} or more", "{} and over", "at least {}", "[{}, inf)", "≥{}"],
    },
    "right": {
        "below": ["<={}", "<= {}", "up to {}", "{} or less", "(-inf, {}]", "≤{}"],
        "between": ["({}, {}]", "({},{}]", "{}<X<={}"],
        "above": [">{}", "> {}", "over {}", "more than {}", "({}, inf)"],
    },
}


@given(st.data(), cut_points.filter(lambda cuts: len(cuts) > 1), st.sampled_from(["left", "right"]))
@settings(max_examples=150)
def test_numbers_at_and_beside_every_boundary_lie_where_the_text_says(data, cuts, closed):
    spelled = SPELLED[closed]
    at = [written(cut) for cut in cuts]
    texts = [data.draw(st.sampled_from(spelled["below"])).format(at[0])]
    texts += [data.draw(st.sampled_from(spelled["between"])).format(a, b) for a, b in pairwise(at)]
    texts.append(data.draw(st.sampled_from(spelled["above"])).format(at[-1]))
    bins, values = bins_of_texts(data.draw(st.permutations(texts)))
    for number in [n for cut in cuts for n in beside(cut)] + [cuts[0] - 10**12, cuts[-1] + 10**12]:
        reached = sum(cut <= number if closed == "left" else cut < number for cut in cuts)
        assert values[bins.place(number)] == texts[reached]


@given(
    st.lists(st.integers(-100, 100), unique=True, min_size=3, max_size=7).map(sorted),
    st.sampled_from([0, 1, 2]),
    st.data(),
)
def test_ranges_that_stop_one_before_the_next_hold_the_numbers_they_name(starts, digits, data):
    unit = Fraction(1, 10**digits)

    def told(n):
        return f"{n / 10**digits:.{digits}f}"

    ranges = [(a, b - 1) for a, b in pairwise(starts)]
    dash = data.draw(st.sampled_from(["{}-{}", "{} - {}", "{} to {}", "{}–{}"]))
    texts = [dash.format(told(a), told(b)) for a, b in ranges] + [f"{told(starts[-1])}+"]
    bins, values = bins_of_texts(data.draw(st.permutations(texts)))
    assert values == tuple(texts)
    for n in range(starts[0], starts[-1] + 3):
        by_hand = next((t for t, (a, b) in zip(texts, ranges, strict=False) if a <= n <= b), texts[-1])
        assert values[bins.place(n * unit)] == by_hand


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["18-24", "26-34"], "between the bins '18-24' and '26-34' there is a gap, from 24 to 26"),
        (["18-25", "25-34"], "the bins '18-25' and '25-34' overlap: 25 lies in both"),
        (["18-30", "25-34"], "the bins '18-30' and '25-34' overlap"),
        (["<5", ">5"], "between the bins '<5' and '>5' there is a gap: 5 lies in neither"),
        ([">=5", ">=6", "<5"], "the bins '>=5' and '>=6' overlap"),
        (["<18", "18-24", "25-34", ">34"], "of the bins '<18' and '18-24', 18 .* as with >=35 instead of >34"),
        (["0.5-0.8", "1.0-1.5"], "there is a gap, from 0.8 to 1"),
    ],
)
def test_gaps_and_overlaps_are_refused_with_both_bins_named(texts, message):
    with pytest.raises(oddly.ModelError, match=message):
        bins_of_texts(texts)


@pytest.mark.parametrize(
    "text", ["", "x", "10-5", "(5,5)", "[1/0, 2)", "(inf, 5)", "[3, -inf)", "1-2-3", "<", "+", "a-b"]
)
def test_what_is_no_interval_is_a_label(text):
    assert interval_of(text) is None


@pytest.mark.parametrize("texts", [["1", "2", "3"], ["no", "yes"], ["18-24", "other"], ["5"], []])
def test_labels_stay_labels(texts):
    assert bins_of_texts(texts) is None


def test_single_numbers_beside_a_range_are_bins():
    bins, values = bins_of_texts(["0", "1", "2", "3+"])
    assert bins.cuts == (1, 2, 3)
    assert values == ("0", "1", "2", "3+")


# ---- whole cards ----

CARD = """Characteristic,Attribute,Score
age,<25,0
,25-34,5
,35-64,12
,65+,9
,Missing,-2
,refused,1
owner,yes,4
,no,0
(cutoff),,12
"""

OPTBINNING = """,Variable,Bin id,Bin,Count,Count (%),Non-event,Event,Event rate,WoE,IV,JS,Coefficient,Points
0,age,0,"(-inf, 25.00)",10,0.1,5,5,0.5,0.1,0.1,0.1,-0.5,0
1,age,1,"[25.00, 35.00)",10,0.1,5,5,0.5,0.1,0.1,0.1,-0.5,5
2,age,2,"[35.00, 65.00)",10,0.1,5,5,0.5,0.1,0.1,0.1,-0.5,12
3,age,3,"[65.00, inf)",10,0.1,5,5,0.5,0.1,0.1,0.1,-0.5,9
4,age,4,Special,0,0.0,0,0,0,0,0,0,-0.5,1
5,age,5,Missing,0,0.0,0,0,0,0,0,0,-0.5,-2
6,owner,0,yes,10,0.1,5,5,0.5,0.1,0.1,0.1,-0.5,4
7,owner,1,no,10,0.1,5,5,0.5,0.1,0.1,0.1,-0.5,0
,Totals,,,100,1.0,50,50,0.5,,0.2,0.2,,
(cutoff),,12
"""


def by_hand(age, owner, special):
    """The points of a case, as the person with the pencil adds them."""
    if age in (None, "NA", "missing"):
        points = -2
    elif age == special:
        points = 1
    else:
        points = 0 if float(age) < 25 else 5 if float(age) < 35 else 12 if float(age) < 65 else 9
    return points + (4 if owner == "yes" else 0)


@pytest.mark.parametrize(
    ("text", "special"),
    [
        (CARD, "refused"),
        (CARD.upper().replace("MISSING", "n/a"), "REFUSED"),
        (CARD.replace("Characteristic,Attribute,Score", "Attribute,Value,Points"), "refused"),
        (CARD.replace(",", ";"), "refused"),
        (OPTBINNING, "Special"),
    ],
)
def test_a_card_as_people_keep_it_decides_raw_numbers_as_by_hand(tmp_path, text, special):
    path = tmp_path / "card.csv"
    path.write_text(text, encoding="utf-8")
    odd = oddly.compile(oddly.read(path))
    age, owner = odd.columns
    ages = ["0", "24.99", 25, "34", 34.5, 35, 64, 64.9, "65", 120, None, "NA", "missing", special]
    for a in ages:
        for o in odd.attribute(owner).values:
            points = by_hand(a, o.lower(), special)
            assert odd.classify([{age: a, owner: o}])[0].lower() == ("yes" if points >= 12 else "no")
    shown = {age: 40, owner: odd.attribute(owner).values[0]}
    assert oddly.explain(odd, shown).decision.lower() == "yes"
    assert oddly.count(odd, under=[shown]).to_json()["counts"]


def test_a_gap_names_both_lines(tmp_path):
    (tmp_path / "card.csv").write_text("attribute,value,points\nage,18-24,1\n,30-40,2\n(cutoff),,1\n")
    both = r"age: between the bins '18-24' \(line 2\) and '30-40' \(line 3\) there is a gap"
    with pytest.raises(oddly.FormatError, match=both):
        oddly.read(tmp_path / "card.csv")


def test_what_lies_beyond_the_last_bins_is_said(tmp_path, caplog):
    (tmp_path / "card.csv").write_text("attribute,value,points\nage,18-24,1\n,25-40,2\n(cutoff),,1\n")
    oddly.read(tmp_path / "card.csv")
    assert caplog.messages == [
        f"{tmp_path / 'card.csv'}: age: numbers below 18 count as 18-24 and above 40 count as 25-40"
    ]


@given(cuts=cut_points, closed=st.sampled_from(["left", "right"]), gaps=st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_card_with_bins_survives_its_table(cuts, closed, gaps, tmp_path_factory):
    bins = Bins(cuts, closed if cuts else "left")
    values = [*bins.labels, *(["?", "special"] if gaps and cuts else [])]
    card = Scorecard([Points("x", values, range(len(values)), bins), Points("y", ["a", "b"], [0, 1])], cutoff=2)
    path = tmp_path_factory.mktemp("card") / "card.csv"
    oddly.write(card, path)
    assert oddly.read(path) == card


def test_what_would_not_read_back_is_not_written(tmp_path):
    card = Scorecard([Points("age", ["18-24", "30-40"], [0, 1])])
    with pytest.raises(oddly.Unsupported, match=r"there is a gap.+ write \.json"):
        oddly.write(card, tmp_path / "card.csv")
