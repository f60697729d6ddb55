# SPDX-License-Identifier: Apache-2.0
"""Two models to try things on, made on the spot."""

from itertools import product

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


EXAMPLES = {"pregnancy": pregnancy, "tic-tac-toe": tic_tac_toe}
