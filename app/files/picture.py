"""The timeline as SVG and as PNG."""

import html
import io

from app.files.drawing import Rect

FONTS = "system-ui, 'Segoe UI', 'Helvetica Neue', 'Noto Sans', 'Noto Sans CJK SC', sans-serif"
ANCHORS = {"start": "lm", "middle": "mm", "end": "rm"}
"""Pillow's names of where a text begins."""
CHINESE = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansSC-Regular.otf",
    "SourceHanSansSC-Regular.otf",
    "msyh.ttc",
    "PingFang.ttc",
    "wqy-zenhei.ttc",
    "wqy-microhei.ttc",
)
"""Fonts with Chinese characters, by the names that systems give them."""


def to_svg(drawing):
    """Return a `Drawing` as SVG text."""
    colors = {}
    parts = []
    for shape in drawing.shapes:
        if isinstance(shape, Rect):
            colors.setdefault(shape.color, []).append(shape)
            continue
        parts += _paths(colors)
        parts.append(_svg_text(shape))
    parts += _paths(colors)
    size = f'width="{drawing.width}" height="{drawing.height}"'
    box = f'viewBox="0 0 {drawing.width} {drawing.height}"'
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} font-family="{FONTS}" '
        f'role="img" lang="{drawing.language}" shape-rendering="crispEdges">\n'
        f"<title>{html.escape(drawing.title)}</title>\n{body}\n</svg>\n"
    )


def _paths(colors):
    """Return one path for the rectangles of each colour, and forget them."""
    found = [
        f'<path fill="{color}" d="{"".join(_box(rect) for rect in rects)}"/>'
        for color, rects in colors.items()
    ]
    colors.clear()
    return found


def _box(rect):
    x, y, wide, tall = (f"{v:.2f}".rstrip("0").rstrip(".") for v in _sides(rect))
    return f"M{x} {y}h{wide}v{tall}h-{wide}z"


def _sides(rect):
    return rect.x, rect.y, rect.width, rect.height


def _svg_text(words):
    weight = ' font-weight="600"' if words.bold else ""
    anchor = f' text-anchor="{words.anchor}"' if words.anchor != "start" else ""
    return (
        f'<text x="{words.x:.1f}" y="{words.y + words.size * 0.36:.1f}" '
        f'font-size="{words.size}"{weight}{anchor} fill="{words.color}">'
        f"{html.escape(words.text)}</text>"
    )


def to_png(drawing, scale=2):
    """Return a `Drawing` as the bytes of a PNG.

    Parameters
    ----------
    drawing : Drawing
    scale : int
        Pixels of the file to a pixel of the drawing.
    """
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (drawing.width * scale, drawing.height * scale))
    pen = ImageDraw.Draw(image)
    for shape in drawing.shapes:
        if isinstance(shape, Rect):
            x, y, wide, tall = (value * scale for value in _sides(shape))
            right, bottom = round(x + wide) - 1, round(y + tall) - 1
            left, top = round(x), round(y)
            if right >= left and bottom >= top:
                pen.rectangle((left, top, right, bottom), fill=shape.color)
        else:
            font = _font(shape.size * scale, drawing.language)
            place = shape.x * scale, shape.y * scale
            pen.text(place, shape.text, shape.color, font, ANCHORS[shape.anchor])
    held = io.BytesIO()
    image.save(held, "PNG", optimize=True)
    return held.getvalue()


def writes(language):
    """Return whether there is a font for the language, which a PNG needs."""
    return language != "zh" or _chinese(12) is not None


def _font(size, language):
    from PIL import ImageFont

    return (_chinese(size) if language == "zh" else None) or ImageFont.load_default(size)


def _chinese(size):
    from PIL import ImageFont

    for name in CHINESE:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return None
