"""What the page's script knows: fields, texts, colours and settings, as one JSON object.

All of it is asked of where it stands already, so that an export cannot differ from the dashboard.
"""

from app import fields
from app.derive import SHADES, STACK, STAGES
from app.export.figures import sizes, tooltip_parts
from app.figures import TOOLTIP_CSS
from app.palette import PALETTES, event_colors, faded_colors, state_colors
from app.palette import THEMES as COLORS
from app.problems import problem
from app.state import MAX_GPUS_PER_WORKER, SPEEDS, THEMES, AppState, preset_values
from app.texts import LANGUAGES, Texts
from app.views.numbers import CARDS
from sim.presets import PRESETS
from sim.result import EVENT_FIELDS, EVENT_KINDS, REQUEST_FIELDS
from sim.scenario import DISTRIBUTIONS, STATES, UNITS, Scenario

MAIN = (*fields.MAIN, "seed")
"""Controls in sight; the others stand in a drawer."""

LAYOUT = {
    "main": MAIN,
    "rest": {
        group: tuple(name for name in names if name not in MAIN)
        for group, names in fields.LAYOUT.items()
        if group != "main"
    },
}

CHARTS = ("shares", "evictions", "hit_rate", "oversubscription", "occupancy")
"""The charts below the timeline, from top to bottom."""

CONTROLS = tuple(name for names in fields.LAYOUT.values() for name in names)
"""Every control of the form, by name."""

SECTIONS = (
    "app", "header", "controls", "units", "fields", "options", "reasons", "problems", "presets",
    "numbers", "states", "events", "timeline", "figures", "why", "hover", "moment", "happened",
    "player", "status", "help", "export",
)  # fmt: skip
"""Parts of the texts that an exported page shows."""


def page_facts(figures):
    """Return the facts that do not depend on what is exported.

    Parameters
    ----------
    figures : app.export.figures.PageFigures
    """
    return {
        **_model_facts(),
        **_form_facts(),
        **_color_facts(),
        "texts": {language: _texts(language) for language in LANGUAGES},
        "languages": {language: Texts(language)("language") for language in LANGUAGES},
        "cards": CARDS,
        "chartNames": CHARTS,
        "speeds": SPEEDS,
        "speed": AppState.param.speed.default,
        "themes": THEMES,
        "figures": sizes(figures.board),
        "figureNames": figures.names,
        "tooltip": tooltip_parts(),
        "tooltipStyle": TOOLTIP_CSS,
        "document": figures.document,
        "models": figures.models,
        "looks": figures.looks,
        "wordings": figures.wordings,
    }


def _model_facts():
    return {
        "states": STATES,
        "shades": SHADES,
        "stack": STACK,
        "stages": STAGES,
        "eventKinds": EVENT_KINDS,
        "eventFields": EVENT_FIELDS,
        "requestFields": REQUEST_FIELDS,
        "presets": {name: _preset(name) for name in PRESETS},
        "defaults": Scenario().to_dict(),
        "distributions": tuple(DISTRIBUTIONS),
    }


def _preset(name):
    """Return what a preset makes of a page's settings."""
    values = preset_values(name)
    return {"scenario": PRESETS[name], "gpus_per_worker": values["gpus_per_worker"]}


def _form_facts():
    return {
        "layout": LAYOUT,
        "controls": {name: _control(name) for name in CONTROLS},
        "controlNames": ("preset", *CONTROLS),
        "chosenWith": fields.CHOSEN_WITH,
        "idle": _idle_fields(),
        "limits": {
            **{
                name: Scenario.param[name].bounds[1]
                for name in ("workers", "kv_capacity", "context_limit")
            },
            "gpus_per_worker": MAX_GPUS_PER_WORKER,
        },
        "problems": {language: _problems(Texts(language)) for language in LANGUAGES},
    }


def _control(name):
    """Return what of a control does not depend on the settings."""
    known = fields.control(name, AppState(), Texts("en"))
    kept = {key: known[key] for key in ("kind", "low", "high", "step") if key in known}
    if known["kind"] == "choice":
        kept["options"] = Scenario.param[name].objects
    unit = {"gpus": "gpus", "gpus_per_worker": "gpus"}.get(name) or UNITS.get(name)
    return {**kept, "unit": unit or ""}


def _idle_fields():
    """Return the fields that cannot act, by the reason."""
    split = Scenario(workers=2, prefill_workers=1)
    table = Scenario(draws="table", table=[[[0, 1, 1]]])
    cases = {"pd": split, "one_worker": Scenario(workers=1), "table": table}
    return {
        reason: [name for name, why in fields.idle(scenario).items() if why == reason]
        for reason, scenario in cases.items()
    }


def _problems(texts):
    """Return, for each field, what to say of a refused value, with ``{value}`` to fill in."""
    said = {}
    for name in ("workers", *CONTROLS):
        if name == "gpus":
            continue
        said[name] = {"plain": _problem(name, "{value}", texts)}
        if name in DISTRIBUTIONS:
            three = _problem(name, ["{value}"] * 3, texts)
            said[name]["quantiles"] = three.replace("{value}, {value}, {value}", "{value}")
    return said


def _problem(name, value, texts):
    return problem(name, value, ValueError(), AppState(), texts)


def _color_facts():
    looks = {f"{theme} {palette}": (palette, theme) for theme in COLORS for palette in PALETTES}
    return {
        "palettes": tuple(PALETTES),
        "stateColors": {name: state_colors(*look) for name, look in looks.items()},
        "fadedColors": {name: faded_colors(*look) for name, look in looks.items()},
        "eventColors": {name: event_colors(*look) for name, look in looks.items()},
        "themeColors": {
            name: {
                key: getattr(theme, key)
                for key in (
                    "axis",
                    "grid",
                    "locked",
                    "resting",
                    "ended",
                    "surface",
                    "text",
                    "muted",
                )
            }
            for name, theme in COLORS.items()
        },
    }


def _texts(language):
    known = Texts(language)
    return {name: known.section(name) for name in SECTIONS}
