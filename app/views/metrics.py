"""The table of metrics of two sides as HTML."""

import html

from app.versus import table
from app.views.numbers import ARROWS


def written(sides, texts):
    """Return the table of metrics.

    Parameters
    ----------
    sides : app.versus.Sides
    texts : Texts
    """
    columns = ("metric", "a_title", "b_title", "difference_column")
    head = "".join(f"<th scope=col>{html.escape(texts(f'versus.{name}'))}</th>" for name in columns)
    rows = "".join(_row(row, texts) for row in table(sides, texts))
    note = texts("versus.seeds" if sides.seeds > 1 else "versus.only_seed", seeds=sides.seeds)
    return (
        f"<h3>{html.escape(texts('versus.metrics'))}</h3>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p class=note>{html.escape(note)}</p>"
    )


def _row(row, texts):
    change = row["change"]
    value = f"{ARROWS[change['sign']]} {change['value']}".strip()
    winner = change["winner"]
    badge = ""
    if winner in ("better", "worse", "unclear"):
        badge = f'<i class="{winner}">{html.escape(texts(f"versus.{winner}"))}</i>'
    cells = "".join(f"<td>{_banded(row[side]['value'], row[side]['band'])}</td>" for side in "ab")
    return (
        f'<tr data-name="{row["name"]}"><th scope=row>{html.escape(row["label"])}</th>{cells}'
        f"<td class=change>{_banded(value, change['band'])} {badge}</td></tr>"
    )


def _banded(value, band):
    spread = f" <small>({html.escape(band)})</small>" if band else ""
    return html.escape(value) + spread
