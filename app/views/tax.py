"""The lock tax: one bar of all GPU time between the numbers and the picture, and its table."""

import panel as pn
import param
from panel.viewable import Viewer

from app.assets import script
from app.derive import SHADES
from app.palette import state_colors
from app.runs import Run
from app.shading import ink_on
from app.spending import spending
from app.state import AppState
from app.texts import Texts
from app.views.part import Part


class TaxBar(Part):
    """The bar as the browser shows it; its table is there once it is opened."""

    texts = param.Dict({})
    said = param.String("")
    parts = param.List([], doc="Each a dict: name, share, percent, time, color and ink.")

    _esm = script("tax.js")
    _css = "tax.css"


class Tax(Viewer):
    """Where the GPU time of the last good run went.

    Parameters
    ----------
    app : AppState
    """

    app = param.ClassSelector(class_=AppState)
    run = param.ClassSelector(class_=Run, doc="The last good run.")

    def __init__(self, app):
        super().__init__(app=app)
        self._bar = TaxBar(self, texts=Texts(app.language).section("tax"))

    def __panel__(self):
        return pn.Column(self._bar, sizing_mode="stretch_width", margin=0)

    @param.depends(
        "run", "app.language", "app.dark", "app.palette", "app.gpus_per_worker", watch=True
    )
    def _show(self):
        if self.run is None:
            return
        texts = Texts(self.app.language)
        found = spending(self.run.recording, self.app.gpus_per_worker, texts)
        colors = _colors(self.app.palette, "dark" if self.app.dark else "light")
        self._bar.param.update(
            texts=texts.section("tax"),
            said=found.said,
            parts=[
                {
                    "name": part.name,
                    "share": part.share,
                    "percent": part.percent,
                    "time": part.time,
                    "color": colors[part.name],
                    "ink": ink_on(colors[part.name]),
                }
                for part in found.parts
            ],
        )


def _colors(palette, theme):
    """Return the colour of each part by its name; both kinds of idle have one."""
    states = dict(zip(SHADES, state_colors(palette, theme), strict=True))
    return {**states, "idle_behind": states["idle"]}
