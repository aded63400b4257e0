"""What figures write: texts at places in them, and the titles of axes."""

from bokeh.core.properties import value
from bokeh.models import Text

from app.figures.frame import FONT


def text_glyph(size="11px", **look):
    """Return the glyph that writes a source's columns `text` at its `x` and `y`."""
    return Text(x="x", y="y", text="text", text_font=value(FONT), text_font_size=size, **look)


def style_title(axis, colors, standoff):
    """Give an axis's title the page's look, `colors`, and the axis no ticks."""
    axis.update(
        axis_label_text_color=colors.text,
        axis_label_text_font=FONT,
        axis_label_text_font_size="12px",
        axis_label_text_font_style="normal",
        axis_label_standoff=standoff,
        major_tick_line_color=None,
    )
