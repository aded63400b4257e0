"""What a hover over a chart says: a small table in the page's own type and colours."""

import html

from bokeh.models import HoverTool

TOOLTIP_CSS = """
.bk-Tooltip {
  padding: 7px 10px;
  border: 1px solid var(--line-strong, #c9ced6);
  border-radius: 6px;
  background: var(--card, #fff);
  color: var(--ink, #1f2530);
  box-shadow: 0 4px 16px rgb(0 0 0 / 14%);
  opacity: 1;
}
"""
"""For the page: Bokeh hangs tooltips on its body, so only the page can style them."""


def hover_tool(renderer):
    """Return a hover tool for one renderer; its rows come from `table`."""
    return HoverTool(
        renderers=[renderer],
        point_policy="follow_mouse",
        attachment="horizontal",
        show_arrow=False,
        limit=1,
    )


def table(rows):
    """Return the tooltip that shows these rows.

    Parameters
    ----------
    rows : iterable of (str, str) or (str, str, str)
        Label, value in Bokeh's notation (``@column{format}``), and the colour of a swatch.
    """
    cells = "".join(_cells(*row) for row in rows)
    return (
        '<div style="display:grid;grid-template-columns:auto auto;column-gap:14px;'
        f'font-size:12px;line-height:1.5">{cells}</div>'
    )


def _cells(label, value, color=None):
    swatch = ""
    if color:
        swatch = (
            '<i style="display:inline-block;width:9px;height:9px;border-radius:2px;'
            f'margin-right:6px;background:{color}"></i>'
        )
    return (
        f'<span style="opacity:.72">{swatch}{html.escape(label)}</span>'
        f'<span style="text-align:right;font-variant-numeric:tabular-nums">{value}</span>'
    )
