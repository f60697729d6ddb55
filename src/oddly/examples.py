# SPDX-License-Identifier: Apache-2.0
"""Two models and a table to try things on, made on the spot."""

from itertools import product
from math import exp
from random import Random

from oddly.errors import look_up
from oddly.learning import learn
from oddly.model import CPT, NaiveBayes

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_SQUARES = tuple(f"{row}-{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))


def named(name: str) -> NaiveBayes:
    """The example of that name, as in `oddly show example:pregnancy`.

    >>> named("pregnancy") == pregnancy()
    True
    """
    return look_up(EXAMPLES, name, "example")()


def pregnancy() -> NaiveBayes:
    """Figure 1 of Chan and Darwiche (2003): three tests for pregnancy.

    >>> pregnancy()
    NaiveBayes: P=yes if Pr >= 0.9, prior 0.87, from 3 attributes (U, B, S)
    """
    urine = CPT("U", ["+ve", "-ve"], {"yes": ["0.73", "0.27"], "no": ["0.107", "0.893"]})
    blood = CPT("B", ["+ve", "-ve"], {"yes": ["0.64", "0.36"], "no": ["0.106", "0.894"]})
    scan = CPT("S", ["+ve", "-ve"], {"yes": ["0.90", "0.10"], "no": ["0.01", "0.99"]})
    return NaiveBayes("P", ["yes", "no"], ["0.87", "0.13"], [urine, blood, scan], "yes", "0.9")


def tic_tac_toe() -> NaiveBayes:
    """Has x won this end board?  Learned from all 958 boards at which a game that x began can end.

    >>> tic_tac_toe()
    NaiveBayes: x-wins=positive if Pr >= 0.5, prior 313/479, from 9 attributes (top-left, ...)
    """
    model = learn(tic_tac_toe_boards(), target="x-wins", positive="positive")
    assert isinstance(model, NaiveBayes)
    return model


def tic_tac_toe_boards() -> list[dict[str, str]]:
    """Every board at which a game can end, x moving first: a square holds x, o or b (blank).

    >>> len(tic_tac_toe_boards())
    958
    """
    boards = []
    for board in product("xob", repeat=9):
        won = {player for player in "xo" if any(all(board[i] == player for i in line) for line in _LINES)}
        ahead = board.count("x") - board.count("o")
        full = not won and "b" not in board
        if (ahead == 1 and (won == {"x"} or full)) or (ahead == 0 and won == {"o"}):
            outcome = "positive" if won == {"x"} else "negative"
            boards.append({**dict(zip(_SQUARES, board, strict=True)), "x-wins": outcome})
    return boards


def loans(year: int, rows: int = 800) -> list[dict[str, object]]:
    """The loans of a year that never was, as a lender's table has them: numbers, gaps (NA, ?), labels, and whether they were repaid.

    The same year is the same table. From 2025 on, age counts for more than it did.

    >>> loans(2025)[0]
    {'customer': 'C2025-001', 'age': 54, 'income': 64.7, 'job': 'none', 'home': 'rents', 'amount': 11.8, 'repaid': 'yes'}
    """
    chance = Random(year)
    return [_loan(chance, year, number) for number in range(1, rows + 1)]


def _loan(chance: Random, year: int, number: int) -> dict[str, object]:
    age = chance.randint(19, 74)
    income = round(max(9.0, chance.gauss(38 + (age - 40) / 4, 14)), 1)
    job = chance.choices(["full", "part", "none"], [6, 2, 2])[0]
    home = chance.choices(["owns", "rents", "family"], [4, 4, 2])[0]
    amount = round(chance.uniform(1, 30), 1)
    score = 0.09 * (income - 38) - 0.06 * (amount - 10) + (0.02 if year < 2025 else 0.05) * (age - 44)
    score += {"full": 0.8, "part": 0.1, "none": -1.0}[job] + {"owns": 0.6, "rents": 0.0, "family": -0.2}[home]
    repaid = "yes" if chance.random() < 1 / (1 + exp(-score)) else "no"
    gap = chance.choice(["NA", "?"]) if chance.random() < 0.04 else income
    about = {"customer": f"C{year}-{number:03}", "age": age, "income": gap, "job": job, "home": home}
    return {**about, "amount": amount, "repaid": repaid}


EXAMPLES = {"pregnancy": pregnancy, "tic-tac-toe": tic_tac_toe}
