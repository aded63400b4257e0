"""HTML on the page."""

import panel as pn

from app.assets import styles


class Markup(pn.pane.HTML):
    """HTML in the style of the page.

    Parameters
    ----------
    object : str
        The HTML.
    names : tuple of str
        Names of style sheets.
    """

    def __init__(self, object="", names=(), **params):
        wide = {"sizing_mode": "stretch_width", "margin": 0}
        super().__init__(object, **{"stylesheets": styles(*names), **wide, **params})

    def _get_properties(self, doc):
        # While changes are held, a new model is in no document yet, and for one without a
        # document Panel takes its style sheets from a CDN.
        return super()._get_properties(doc or pn.state.curdoc)
