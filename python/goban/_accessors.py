"""What functors get for their arguments: accessors of fields and of scratch, site, ghosts. All make
values that record.
"""

import operator

from goban import _recording as recording
from goban._arguments import type_name
from goban._recording import AXES, MASK, is_floating, kind_of
from goban.errors import refuse


class Accessor:
    """What a functor gets for a field: `u()` is its value at the cell, `u(1, 0, 0)` at a neighbour,
    `v[c]` the accessor of a component, `next[...] = x` and `v[c] = x` the new values. `len(v)` is
    the number of components.
    """

    is_accessor = True

    def __init__(self, use, component=None):
        self._use = use
        self._component = component

    def __len__(self):
        return self._use.components

    def __call__(self, *offset):
        place = self._place_of(offset)
        if self._component is None and self._use.components > 1:
            refuse(f"'{self._use.name}' has {self._use.components} components", "",
                   "write v[c]() to read one")
        return self.at(place)

    def at(self, place):
        """The value at offsets along all three axes, of an accessor of one component."""
        use = self._use
        if any(place):
            use.reads_neighbours = True
        use.reads = True
        use.check()
        return self._value("read", place)

    def _value(self, operation, place):
        use = self._use
        return use.recording.value(operation, use.kind, True,
                                   data=[use.position, self._component or 0, *place])

    def require_neighbours(self):
        """It can be passed to a derivative or an average."""
        if self._component is None and self._use.components > 1:
            refuse(f"'{self._use.name}' has {self._use.components} components", "",
                   "pass one, v[c]")
        if self._use.is_scratch:
            refuse("scratch has no neighbours", "", "write s[c]() or s[c].before()")

    def before(self):
        """Returns what the level visited before holds, 0 where there is none."""
        if not self._use.is_scratch:
            refuse(f"'{self._use.name}' has no before()", "that belongs to scratch")
        if self._component is None and self._use.components > 1:
            refuse("the scratch has several numbers a level", "", "write s[c].before()")
        return self._value("before", (0, 0, 0))

    def __getitem__(self, component):
        if component is Ellipsis:
            return self()
        use = self._use
        if self._component is not None:
            refuse(f"'{use.name}' has one index", "", "write v[c](i, j, k)")
        return Accessor(use, self._checked(component))

    def __setitem__(self, component, value):
        use = self._use
        if component is Ellipsis and self._component is None and use.components > 1:
            if not isinstance(value, (tuple, list)) or len(value) != use.components:
                refuse(f"'{use.name}' has {use.components} components", "",
                       "assign one, v[c] = x, or as many in a tuple")
            for c, one in enumerate(value):
                self[c] = one
            return
        if component is not Ellipsis:
            self._checked(component)
            if self._component is not None:
                refuse(f"'{use.name}' has one index", "", "write v[c] = x")
        target = self if component is Ellipsis else Accessor(use, component)
        recording.check_operand(value)
        if kind_of(value) == MASK:
            refuse(f"'{use.name}' is assigned a condition", "it is true or false",
                   "write goban.select(condition, 1, 0)")
        if not is_floating(use.kind) and is_floating(kind_of(value)):
            refuse(f"'{use.name}' is of whole numbers", "a fraction would be lost",
                   f'write goban.convert(x, "{use.kind}")')
        recording.require_fit(value, use.kind)
        use.assign_once(target._component or 0)
        use.check()
        use.recording.add("assign", use.kind, [value], [use.position, target._component or 0])

    def __iter__(self):
        return (self[c] for c in range(self._use.components))

    def _checked(self, component):
        use = self._use
        try:
            index = operator.index(component)
        except TypeError:
            refuse(f"'{use.name}' has no such component", f"{component!r} is no whole number",
                   "offsets stand in round brackets, u(1, 0, 0)")
        if not 0 <= index < use.components:
            refuse(f"'{use.name}' has no component {index}",
                   f"it has {use.components}, counted from 0")
        return index

    def _place_of(self, offset):
        use = self._use
        if len(offset) > 3:
            refuse(f"'{use.name}' is read at {len(offset)} offsets", "there are three axes")
        if any(n != 0 for n in offset[use.axes:]):
            refuse(f"'{use.name}' is read at {tuple(offset)}",
                   f"its grid has {use.axes} axes" if use.axes > 1 else "its grid has one axis")
        try:
            place = [operator.index(n) for n in offset]
        except TypeError:
            refuse(f"'{use.name}' is read at an offset that is no whole number",
                   "neighbours are at fixed distances in cells")
        if use.is_scratch and offset:
            refuse("scratch has no neighbours", "", "write s[c]() or s[c].before()")
        return place + [0] * (3 - len(place))

    def _is_no_value(self, *_):
        recording.check_operand(self)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _is_no_value
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _is_no_value
    __pow__ = __rpow__ = _is_no_value
    __neg__ = __pos__ = __abs__ = __invert__ = __lt__ = __le__ = __gt__ = __ge__ = _is_no_value
    __and__ = __rand__ = __or__ = __ror__ = _is_no_value
    __bool__ = __float__ = __int__ = __index__ = _is_no_value
    __array_ufunc__ = None

    def __eq__(self, other):
        return self._is_no_value() if other is not self else True

    __hash__ = object.__hash__

    def _old(self):
        """What v[c] += x adds to; of a name alone it would only bind the name anew."""
        if self._component is None:
            refuse(f"+= and the like on '{self._use.name}'",
                   "it would be a new name in the functor", "write w[...] += x, or v[c] += x")
        return self()

    def __iadd__(self, other):
        return self._old() + other

    def __isub__(self, other):
        return self._old() - other

    def __imul__(self, other):
        return self._old() * other

    def __itruediv__(self, other):
        return self._old() / other


class Use:
    """How a functor uses one field: found out while it is recorded, checked where it was said."""

    def __init__(self, position, name, kind, components, said=None, is_scratch=False, axes=3):
        self.axes = axes  # of its grid
        self.recording, self.position, self.name = None, position, name
        self.kind, self.components = ("float32" if kind == "float16" else kind), components
        self.said = said  # "in", "out", "inout" or None: as it turns out
        self.is_scratch = is_scratch
        self.reads = self.reads_neighbours = False
        self.assigned = set()

    @property
    def assigns(self):
        return bool(self.assigned)

    def assign_once(self, component):
        if component in self.assigned and not self.is_scratch:
            which = f"component {component} of " if self.components > 1 else ""
            refuse(f"{which}'{self.name}' is assigned more than once", "",
                   "compute the value in a variable and assign it once")
        self.assigned.add(component)

    def check(self):
        if self.is_scratch:
            return
        if self.assigns and self.reads_neighbours:
            refuse(f"'{self.name}' is assigned and read at a neighbour",
                   "which may be new by then, or not",
                   "write to another field, and swap the two")
        if self.said == "in" and self.assigns:
            refuse(f"'{self.name}' is assigned", "it was passed as in_",
                   "pass it as out or inout")
        if self.said == "out" and self.reads:
            refuse(f"'{self.name}' is read", "it was passed as out",
                   "pass it as inout to read its old value at the cell")

    def access(self):
        if self.said:
            return self.said
        return ("inout" if self.reads else "out") if self.assigns else "in"


class Site:
    """Where and when a functor is evaluated."""

    def __init__(self, recording):
        self._recording = recording

    def index(self, axis):
        """Global index of the cell along "x", "y" or "z", int32."""
        return self._recording.value("index", "int32", True, data=[_axis(axis)])

    def position(self, axis, kind="float64"):
        """Coordinate of the value along an axis."""
        return self._recording.value("position", _floating(kind), True, data=[_axis(axis)])

    def time(self):
        """Simulated time at the beginning of the step."""
        return self._recording.value("time", "float64", False)

    def step(self):
        """Number of the step, from 0."""
        return self._recording.value("step", "int64", False)

    def random(self, stream=0, kind="float64"):
        """Uniform in [0, 1): one number per run, step, stream and cell."""
        return self._recording.value("random", _floating(kind), True, data=[operator.index(stream)])


class Ghost:
    """What a boundary condition of one's own sees of a ghost; all numbers are float64."""

    def __init__(self, recording):
        self._recording = recording
        self.asks = []  # what it is asked for, and which

    def _number(self, what, which=0):
        if [what, which] not in self.asks:
            self.asks.append([what, which])
        return self._recording.value("parameter", "float64", False,
                                     data=[self.asks.index([what, which])])

    def inside(self, n):
        """The n-th value inside, counted from the edge, n = 1 ... 16."""
        n = operator.index(n)
        if not 1 <= n <= 16:
            refuse(f"inside({n})", "a ghost sees the values 1 to 16 from the edge")
        return self._number("inside", n)

    def depth(self):
        """Layers beyond the edge, from 1."""
        return self._number("depth")

    def component(self):
        return self._number("component")

    def index(self, axis):
        """Global index of the ghost."""
        return self._number("index", _axis(axis))

    def position(self, axis):
        return self._number("position", _axis(axis))

    def time(self):
        """Simulated time of the step that is computed."""
        return self._number("time")


def _axis(axis):
    if axis not in AXES:
        refuse(f"{axis!r} is no axis", "", 'write "x", "y" or "z"')
    return AXES[axis]


def _floating(kind):
    kind = type_name(kind)
    if kind not in ("float32", "float64"):
        refuse(f"a number of type {kind!r}", "", 'it is "float32" or "float64"')
    return kind
