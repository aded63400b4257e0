"""The figures of an exported page, and what of them changes with theme and language."""

import itertools

from bokeh.core.serialization import Serializer
from bokeh.document import Document
from bokeh.models import ColumnDataSource

from app.derive import Recording
from app.figures import BARS, COLUMNS, LABELS, Board
from app.figures import charts as charts_module
from app.figures import frame as frame_module
from app.figures import inspector as inspector_module
from app.figures import timeline as timeline_module
from app.figures.tooltips import table
from app.palette import PALETTES, THEMES
from app.texts import LANGUAGES, Texts
from app.views.picture import labels
from sim import Scenario, simulate

TINY = {"workers": 1, "agents": 1, "turns": [1, 1]}
"""A run of a few seconds: the page's own script puts its runs in the place of it."""


class PageFigures:
    """All figures of a page, built once, and facts about them for the page's script.

    Attributes
    ----------
    names : list of str
        Names of the figures: those on the time axis from top to bottom, then the inspector's bars.
    document : dict
        The Bokeh document; its roots are the figures.
    models : dict of str to str
        Ids of the models that the script changes, by the names it knows them by.
    looks, wordings : dict
        For each theme and palette, and for each language: model ids to the values that differ.
    """

    def __init__(self):
        texts = {language: Texts(language) for language in LANGUAGES}
        self.board = Board(labels(texts["en"]), wheel=False)
        self.board.show(Recording(simulate(Scenario(**TINY))))
        self.board.pin(0)
        self.names = self._name()
        self._roots = [getattr(self.board, name).root for name in self.names]
        self.models = {name: model.id for name, model in self._handles().items()}
        self.looks = self._differences(
            {
                f"{theme} {palette}": (self.board.restyle, (theme, palette))
                for theme, palette in itertools.product(THEMES, PALETTES)
            }
        )
        self.wordings = self._differences(
            {language: (self.board.relabel, (labels(own),)) for language, own in texts.items()}
        )
        self.board.pin(None)
        document = Document()
        for root in self._roots:
            document.add_root(root)
        self.document = document.to_json(deferred=False)

    def _name(self):
        """Give the figures the names by which the page's scripts find them; return the names."""
        charts = [chart.name for chart in self.board.charts]
        names = ["minimap", "timeline", "events", *charts, "kv"]
        for name in names:
            getattr(self.board, name).root.name = name
        return names

    def _handles(self):
        board = self.board
        timeline, kv = board.timeline, board.kv
        onset, pin = board.frame.lines["onset"], board.frame.lines["pin"]
        return {
            "x_range": board.frame.x_range,
            "onset": onset,
            "pin": pin,
            "states": board.frame.states,
            "timeline": timeline.root,
            "coarse": timeline.coarse.source,
            "fine": timeline.fine.source,
            "cell": timeline.cell,
            "onset_label": timeline.onset,
            "minimap": board.minimap.root,
            "minimap_image": board.minimap.image.source,
            "events": board.events.root,
            "event_marks": board.events.source,
            "shares": board.shares.root,
            "share_areas": board.shares.source,
            "share_bins": board.shares.bins,
            "share_hover": board.shares.hover,
            "evictions": board.evictions.root,
            "eviction_bars": board.evictions.source,
            "eviction_total": board.evictions.total_range,
            "hit_rate": board.hit_rate.root,
            "hit_rates": board.hit_rate.source,
            "oversubscription": board.oversubscription.root,
            "wants": board.oversubscription.source,
            "want_bins": board.oversubscription.bins,
            "occupancy": board.occupancy.root,
            "occupancies": board.occupancy.source,
            "kv": kv.root,
            "kv_tracks": kv.tracks,
            "kv_bars": kv.source,
            "kv_needs": kv.needs,
            "kv_names": kv.names,
            "kv_end": kv.end,
        }

    def _differences(self, settings):
        """Return, for each setting, the values of properties in which the settings differ."""
        taken = {}
        for name, (change, arguments) in settings.items():
            change(*arguments)
            taken[name] = self._values()
        first, *others = taken.values()
        differing = [
            key for key, value in first.items() if any(other[key] != value for other in others)
        ]
        changes = {}
        for name, values in taken.items():
            by_model = changes[name] = {}
            for model, prop in differing:
                by_model.setdefault(model, {})[prop] = _plain(values[model, prop])
        return changes

    def _values(self):
        """Return the values of all properties of all models but the data of sources."""
        models = set().union(*(root.references() for root in self._roots))
        serializer = Serializer()
        return {
            (model.id, name): serializer.encode(value)
            for model in models
            if not isinstance(model, ColumnDataSource)
            for name, value in model.properties_with_values().items()
            if isinstance(value, (str, int, float, dict, list, tuple, type(None)))
            and not _holds_models(value)
        }


def _holds_models(value):
    items = value.values() if isinstance(value, dict) else value
    return isinstance(value, (dict, list, tuple)) and any(hasattr(item, "id") for item in items)


def _plain(value):
    """Return a serialized value as the page's script takes it."""
    if isinstance(value, dict) and value.get("type") == "map":
        return {"entries": value["entries"]}
    if isinstance(value, dict) and value.get("type") in ("value", "field"):
        return {value["type"]: value[value["type"]]}
    return value


def sizes(board):
    """Return the sizes by which the page's script lays figures out."""
    return {
        "columns": COLUMNS,
        "bars": BARS,
        "least_ticks": frame_module.LEAST_TICKS,
        "margins": frame_module.LEFT + frame_module.RIGHT,
        "height": timeline_module.HEIGHT,
        "thinnest": timeline_module.THINNEST,
        "tallest": timeline_module.TALLEST,
        "most_lanes": timeline_module.MOST_LANES,
        "few": timeline_module.FEW,
        "head": timeline_module.HEAD,
        "label_pitch": timeline_module.LABEL_PITCH,
        "minimap": timeline_module.Minimap.HEIGHT,
        "event_rows": board.events.rows,
        "occupancy": charts_module.Occupancy.height,
        "pitch": inspector_module.PITCH,
        "thin_pitch": inspector_module.THIN_PITCH,
        "many": inspector_module.MANY,
        "most_bars": inspector_module.MOST_BARS,
        "time_row": board.shares.time_row()[1],
    }


def tooltip_parts():
    """Return the pieces of a tooltip's table, with LABEL, VALUE and COLOR to fill in."""
    whole = table(())
    end = whole.index("</div>")
    opening, closing = whole[:end], whole[end:]
    plain, colored = (
        table([row])[len(opening) : -len(closing)]
        for row in (("LABEL", "VALUE"), ("LABEL", "VALUE", "COLOR"))
    )
    return {"open": opening, "plain": plain, "colored": colored, "close": closing}


def label_keys():
    """Return the keys of the figures' texts."""
    return LABELS
