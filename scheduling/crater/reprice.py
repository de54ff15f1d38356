"""Give a board that is in use the worths of a new demand mix; what is held stays where it is."""

import numpy as np

from scheduling.crater.arrays import W_SEEN
from scheduling.crater.board import Board
from scheduling.crater.compiled import python
from scheduling.crater.kernels import FULL, SPARE
from scheduling.crater.market import Market
from scheduling.crater.plain import Plain
from scheduling.crater.scoring import appraise
from scheduling.crater.tables import free_column
from scheduling.crater.worth import MICRO


def reprice(board: Board, trade: Market) -> None:
    """Exchange the tables; every node is valued anew, every shape scored anew when it is next asked for."""
    a = board.arrays
    a.book[:, : FULL + 1] = trade.tables
    a.book[:, FULL + 1 : -1] = trade.fulls
    a.scarcity[:] = np.array([s * MICRO for s in trade.scarcity] or [0.0])
    a.shapes[:, W_SEEN] = -1
    board.latest = None
    a.kinds[:, 1], a.nodes[:, SPARE] = 0, 0
    for node in range(len(a.nodes)):
        (appraise if board.fast else python(appraise))(a, node)
    if board.plain is not None:
        board.near.clear()  # its positions are those of the old log
        board.refused.clear()
        board.lately.clear()
        board.plain = Plain(a, free_column(board.grid))  # nothing it had worked out holds any longer
