"""Every text of the interface, by language and key."""

import json
import pathlib

HERE = pathlib.Path(__file__).parent


def _texts(language):
    """Return the texts of a language: the sections of all files ``*_<language>.json``."""
    texts = {}
    for path in sorted(HERE.glob(f"*_{language}.json")):
        texts |= json.loads(path.read_text(encoding="utf-8"))
    return texts


LANGUAGES = {language: _texts(language) for language in ("en", "zh")}
"""Language codes to nested dicts of texts, all with the same keys."""

DEFAULT = "en"


class Texts:
    """The texts of one language.

    Parameters
    ----------
    language : str
        A key of `LANGUAGES`.
    """

    def __init__(self, language):
        self.language = language
        self._texts = LANGUAGES[language]

    def __call__(self, key, /, **values):
        """Return the text at a dotted key, with `values` filled in.

        Raises
        ------
        KeyError
            If there is no such text.
        """
        text = self.section(key)
        return text.format(**values) if values else text

    def section(self, key):
        """Return the texts below a dotted key: a text or a nested dict."""
        found = self._texts
        for part in key.split("."):
            found = found[part]
        return found

    def get(self, key, default=""):
        """Return the text at a dotted key, `default` if there is none."""
        try:
            return self.section(key)
        except KeyError:
            return default


def preferred(accept_language):
    """Return the known language that an Accept-Language header asks for first.

    Parameters
    ----------
    accept_language : str
        Such as ``zh-CN,zh;q=0.9,en;q=0.8``; may be empty.
    """
    wanted = []
    for part in accept_language.split(","):
        tag, _, weight = part.strip().partition(";q=")
        try:
            wanted.append((-float(weight or 1), tag.partition("-")[0].lower()))
        except ValueError:
            continue
    for _, language in sorted(wanted, key=lambda entry: entry[0]):
        if language in LANGUAGES:
            return language
    return DEFAULT
