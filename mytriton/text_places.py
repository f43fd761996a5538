"""Where in the text that was read an operation stands whose location names another file, as in Triton's dumps."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from mytriton.diagnostics import with_source_line
from mytriton.errors import CompilationError, PassError, SourceLocation, location_of_attribute

Key = tuple[str, int, int]

_OPERATION = re.compile(r"'(\w+(?:\.\w+)+)'")
"""An operation as messages name it."""


@dataclass
class TextPlaces:
    """For each place that operations say they come from, the places of these operations in the text."""

    text: str
    found: dict[Key, list[SourceLocation]] = field(default_factory=dict[Key, list[SourceLocation]])

    def add(self, location: Attribute, place: SourceLocation) -> None:
        """Notes an operation at `place` of the text with the location `location`."""
        origin = location_of_attribute(location)
        if origin is not None and origin.file != place.file:
            self.found.setdefault((origin.file, origin.line, origin.column), []).append(place)

    def of(self, origin: SourceLocation, message: str) -> SourceLocation | None:
        """The first operation that comes from `origin`, of those that the message names if it names one of them."""
        places = [
            with_source_line(place, self.text) or place
            for place in self.found.get((origin.file, origin.line, origin.column), ())
        ]
        named = [place for name in _OPERATION.findall(message) for place in places if name in place.source_line]
        return next(iter(named or places), None)


_places: WeakKeyDictionary[ModuleOp, TextPlaces] = WeakKeyDictionary()


def remember_places(module: ModuleOp, places: TextPlaces) -> None:
    """Keeps the places for as long as there is the module."""
    if places.found:
        _places[module] = places


def add_text_location(error: CompilationError | PassError, module: ModuleOp) -> None:
    """Lets an error about a module say also where in the module's text its operation stands."""
    places = _places.get(module)
    if places is not None and error.location is not None and error.text_location is None:
        error.text_location = places.of(error.location, error.message)
