"""Refusals about prices."""

from alldata.kernel.errors import Invalid, Unavailable


class BadPriceBook(Invalid):
    """A price list cannot be used as written."""

    code = "bad_price_book"

    def __init__(self, where: str, expected: str) -> None:
        super().__init__(where, expected)
        self.where, self.expected = where, expected

    def __str__(self) -> str:
        return f"{self.where}: expected {self.expected}"


class NoPriceBook(Unavailable):
    """No price list is in force yet."""

    code = "no_price_book"

    def __str__(self) -> str:
        return "no price book is in force; create one under Admin > Prices"
