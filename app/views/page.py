"""The whole page of one session."""

import urllib.parse

from panel.template import Template
from panel.theme.base import Design

from app.assets import asset, theme_css
from app.figures import TOOLTIP_CSS
from app.runs import Runner
from app.texts import Texts
from app.views.agents import Agents
from app.views.baseline import Pinned
from app.views.commands import Commands
from app.views.compare import Compare
from app.views.composition import Composition
from app.views.controls import Controls
from app.views.deployment import Deployment
from app.views.explore import Explore
from app.views.export import Export
from app.views.fixes import Fixes
from app.views.header import Header
from app.views.interval import Interval
from app.views.later import Later
from app.views.moment import Moment
from app.views.notices import Notices
from app.views.numbers import Numbers
from app.views.picture import Picture
from app.views.stories import Stories
from app.views.tabs import Tabs
from app.views.tax import Tax
from app.views.traces import Traces
from app.views.versus import Versus
from app.views.words import Words

PAGE_STYLES = ("page.css", "guide.css", "sheets.css", "panels.css")

LIVE_SECONDS = 0.15
"""Runs as quick as this follow a slider while it is dragged."""


class Skeleton(Template):
    """The page without its parts."""

    def __repr__(self):
        # Panel writes it anew for each part that is added.
        return type(self).__name__


class Page:
    """One session: the state, the views, and the runs between them.

    Parameters
    ----------
    app : AppState
    problems : list of dict
        What of the address could not be read.
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop.
    """

    def __init__(self, app, problems, post):
        self.app = app
        self.runner = Runner(post)
        self.header = Header(app)
        self.controls = Controls(app)
        self.pinned = Pinned(app, post)
        self.numbers = Numbers(app, self.pinned)
        self.tax = Tax(app)
        self.picture = Picture(app)
        self.words = Words(app)
        self.moment = Moment(app, self.picture.board, self.picture.grown)
        self.interval = Interval(app, self.picture.board)
        self.composition = Composition(app, self.picture.board)
        self.notices = Notices(app, problems)
        self.deployment = Deployment(app)
        self.stories = Stories(app, self.picture.board)
        self.compare = Compare(app, self.deployment, post)
        self.export = Export(app, post)
        self.tabs = Tabs(app)
        self.commands = Commands(app, self.header, self.controls, self.stories, self.export)
        self.rooms = {
            "agents": Later(lambda: Agents(app, self.picture.board)),
            "fixes": Later(lambda: Fixes(app, self.deployment, post)),
            "explore": Later(lambda: Explore(app, post)),
            "compare": Later(lambda: Versus(app, self.pinned, post)),
            "traces": Later(lambda: Traces(app, post)),
        }
        self._open()
        app.param.watch(self._scenario_changed, "scenario")
        app.param.watch(lambda _: self._open(), "tab")

    @property
    def title(self):
        """The title of the browser's window."""
        return Texts(self.app.language)("app.title")

    def template(self):
        """Return what Panel serves."""
        texts = Texts(self.app.language)
        template = Skeleton(asset("page.html"), design=Design)
        for name in ("header", "notices", "controls", "numbers", "tax", "picture", "words"):
            template.add_panel(name, getattr(self, name))
        for name in ("deployment", "stories", "pinned", "export", "commands", "tabs"):
            template.add_panel(name, getattr(self, name))
        for name, place in self.rooms.items():
            template.add_panel(name, place)
        template.add_panel("deployments", self.compare)
        template.add_panel("deployments_button", self.compare.button)
        template.add_panel("interval", self.interval)
        template.add_panel("moment_composition", self.composition)
        for name, part in self.moment.parts.items():
            template.add_panel(name, part)
        for name, value in {
            "language": self.app.language,
            "tab": self.app.tab,
            "title": self.title,
            "tagline": texts("app.tagline"),
            "skip": texts("header.skip"),
            "settings": texts("header.settings"),
            "settings_script": asset("settings.js"),
            "icon": urllib.parse.quote(asset("icon.svg")),
            "mark": asset("icon.svg"),
            "theme_script": asset("theme.js"),
            "page_css": theme_css() + "".join(map(asset, PAGE_STYLES)) + TOOLTIP_CSS,
        }.items():
            template.add_variable(name, value)
        return template

    def _scenario_changed(self, _):
        if self.controls.live and self.runner.seconds > LIVE_SECONDS:
            self.controls.answered()
        else:
            self.run()

    def run(self):
        """Simulate the scenario; the picture follows when it is done."""
        self.runner.request(self.app.scenario, self._done, self._failed)
        if self.runner.busy:
            self.notices.running()

    def _done(self, run):
        self.numbers.run = run
        self.tax.run = run
        self.picture.run = run
        self.words.run = run
        self.moment.run = run
        self.interval.run = run
        self.composition.run = run
        self.stories.run = run
        self.export.run = run
        self.notices.succeeded()
        self.controls.answered()
        self._ask()

    def _failed(self, error):
        self.notices.failed(error, stale=self.picture.run is not None)
        self.controls.answered()
        self._ask()

    @property
    def _opened(self):
        """The rooms that have been made, by their tabs."""
        return {tab: place.room for tab, place in self.rooms.items() if place.room}

    def _open(self):
        """Have the room of the open tab made, and answer."""
        if self.app.tab in self.rooms:
            self.rooms[self.app.tab].open()
        self._ask()

    def _ask(self):
        """Ask what belongs to the open tab, once the run itself is there."""
        if self.runner.busy:
            return
        self.pinned.ask()
        for tab, room in self._opened.items():
            if tab == self.app.tab and "run" in room.param:
                room.run = self.picture.run
            room.ask()

    def callback_failed(self, error):
        """Show the exception of a callback; the picture stays as it is."""
        self.notices.failed(error, stale=False)

    def close(self):
        """Stop what is under way; the session is over."""
        self.runner.cancel()
        self.compare.close()
        self.pinned.close()
        for room in self._opened.values():
            room.close()
