"""Values that record instead of computing. A functor is called once with them, and what it does
with them becomes the statements of a C++ functor, in the same order.

Types meet as in C++ functors: of two values of cells the wider one, the floating one; a number takes
the type of the values of cells beside it.
"""

import math
import operator

import numpy as np

from goban.errors import refuse

WIDTH = {"uint8": 1, "int32": 4, "int64": 8, "float32": 4, "float64": 8}
CPP = {"uint8": "std::uint8_t", "int32": "std::int32_t", "int64": "std::int64_t",
       "float16": "goban::half", "float32": "float", "float64": "double"}
AXES = {"x": "goban::Axis::x", "y": "goban::Axis::y", "z": "goban::Axis::z"}
MASK = "mask"


def is_floating(kind):
    return kind.startswith("float")


def met(a, b):
    """The type of two values of cells together."""
    if is_floating(a) != is_floating(b):
        return a if is_floating(a) else b
    return a if WIDTH[a] >= WIDTH[b] else b


class Recording:
    """The statements of one functor."""

    def __init__(self):
        self.lines = []
        self.count = 0
        self.numbers = {}  # name -> C++ type of the members

    def value(self, text, kind, varies):
        """A new value that the text computes."""
        name = f"t{self.count}"
        self.count += 1
        self.lines.append(f"const auto {name} = {text};")
        return Value(self, name, kind, varies)

    def assign(self, target, text):
        self.lines.append(f"{target} = {text};")


def literal(number):
    """A number of Python as one of C++: whole ones stay whole."""
    if isinstance(number, (bool, np.bool_)):
        return "true" if number else "false"
    if isinstance(number, (int, np.integer)):
        number = int(number)
        if abs(number) > 2**63 - 1:
            refuse(f"the number {number} is refused", "it has more than 64 bits")
        text = str(number) if abs(number) < 2**31 else f"{number}L"
    else:
        number = float(number)
        if math.isnan(number):
            return "std::numeric_limits<double>::quiet_NaN()"
        if math.isinf(number):
            return ("" if number > 0 else "-") + "std::numeric_limits<double>::infinity()"
        text = repr(number)
    return f"({text})" if text.startswith("-") else text


def is_number(x):
    return isinstance(x, (bool, int, float, np.bool_, np.integer, np.floating))


def kind_of(x):
    if isinstance(x, Value):
        return x.kind
    if isinstance(x, (bool, np.bool_)):
        return MASK
    return "int32" if isinstance(x, (int, np.integer)) else "float64"


def varies(x):
    return isinstance(x, Value) and x.varies


def text_of(x):
    return x.name if isinstance(x, Value) else literal(x)


def check_operand(x):
    """Values and numbers are; an accessor in their place is the usual slip."""
    if isinstance(x, Accessor):
        refuse("an accessor inside an expression", "",
               "write u() to read its value at the cell, u(1, 0, 0) at a neighbour")
    if not (isinstance(x, Value) or is_number(x)):
        refuse(f"{type(x).__name__} inside an expression of a functor",
               "it is neither a value of cells nor a number",
               "pass numbers by keyword, fields as arguments")


def recording_of(operands):
    return next(x.recording for x in operands if isinstance(x, Value))


def common_kind(operands):
    """The type of operands that meet. Refuses numbers with fractions beside whole values."""
    cells = [x for x in operands if varies(x)]
    others = [x for x in operands if not varies(x)]
    for x in operands:
        if kind_of(x) == MASK:
            refuse("arithmetic with a condition", "it is true or false",
                   "write goban.select(condition, a, b)")
    if not cells:
        kind = kind_of(others[0])
        for x in others[1:]:
            kind = met(kind, kind_of(x))
        return kind
    kind = cells[0].kind
    for x in cells[1:]:
        kind = met(kind, x.kind)
    if not is_floating(kind) and any(is_floating(kind_of(x)) for x in others):
        refuse("a number with a fraction beside whole values of cells", "it would lose its fraction",
               'write goban.convert(u(), "float32")')
    return kind


def operation(text, *operands):
    """`text` has a place {} for each operand."""
    for x in operands:
        check_operand(x)
    return recording_of(operands).value(text.format(*map(text_of, operands)),
                                        common_kind(operands), any(map(varies, operands)))


def comparison(symbol, a, b):
    for x in (a, b):
        check_operand(x)
    if {kind_of(a), kind_of(b)} != {MASK}:
        common_kind((a, b))
    return recording_of((a, b)).value(f"{text_of(a)} {symbol} {text_of(b)}", MASK,
                                      varies(a) or varies(b))


def logic(symbol, a, b):
    """Of conditions, or of the bits of whole values."""
    for x in (a, b):
        check_operand(x)
    kinds = {kind_of(a), kind_of(b)}
    if kinds == {MASK}:
        return recording_of((a, b)).value(f"{text_of(a)} {symbol} {text_of(b)}", MASK,
                                          varies(a) or varies(b))
    if MASK in kinds:
        refuse(f"{symbol} of a condition and a value", "",
               "compare the value, as in u() != 0, and mind the brackets around comparisons")
    if any(is_floating(kind) for kind in kinds):
        refuse(f"{symbol} of values with fractions", "they have no bits to speak of",
               "put brackets around comparisons: (a < b) & (c < d)")
    return operation(f"{{}} {symbol} {{}}", a, b)


def divide(a, b):
    for x in (a, b):
        check_operand(x)
    kind = common_kind((a, b))
    if is_floating(kind):
        return operation("{} / {}", a, b)
    if varies(a) or varies(b):
        refuse("/ of whole values of cells", "it makes fractions",
               'write a // b, or goban.convert(a, "float64") / b')
    return recording_of((a, b)).value(f"static_cast<double>({text_of(a)}) / {text_of(b)}",
                                      "float64", False)


def divide_whole(a, b):
    """Rounded towards minus infinity, as in Python."""
    return _rounded_down(a, b)[0]


def remainder(a, b):
    """With the sign of b, as in Python."""
    return _rounded_down(a, b)[1]


def _rounded_down(a, b):
    for x in (a, b):
        check_operand(x)
    kind = common_kind((a, b))
    if is_floating(kind):
        refuse("// or % of values with fractions", "", "write goban.floor(a / b)")
    quotient, rest = operation("{} / {}", a, b), operation("{} % {}", a, b)
    if kind == "uint8":
        return quotient, rest
    is_below = logic("&", comparison("!=", rest, 0), comparison("<", operation("{} ^ {}", rest, b), 0))
    return select(is_below, quotient - 1, quotient), select(is_below, rest + b, rest)


def power(a, b):
    """Whole powers up to 64 are products: a**2 is a * a."""
    if isinstance(b, (int, np.integer)) and 1 <= abs(b) <= 64:
        product, square, n = None, a, abs(int(b))
        while n:
            if n & 1:
                product = square if product is None else product * square
            n >>= 1
            square = square * square if n else square
        return product if b > 0 else divide(1, product)
    if is_number(b) and b == 0.5:
        return function_of_values("sqrt", a)
    return function_of_values("pow", a, b)


def function_of_values(name, *operands):
    """A function of goban's mathematics, of floating values."""
    for x in operands:
        check_operand(x)
    kind = common_kind(operands)
    if not is_floating(kind) and any(map(varies, operands)):
        refuse(f"{name} of whole values of cells", "it makes fractions",
               f'write goban.{name}(goban.convert(u(), "float32"))')
    texts = [_floating_text(x) for x in operands]
    return recording_of(operands).value(f"goban::{name}({', '.join(texts)})",
                                        kind if is_floating(kind) else "float64",
                                        any(map(varies, operands)))


def _floating_text(x):
    """Numbers as double, so that those of one call are of one type."""
    if varies(x):
        return x.name
    if isinstance(x, Value):
        return x.name if x.kind == "float64" else f"goban::convert<double>({x.name})"
    return literal(float(x))


def extremum(name, a, b):
    for x in (a, b):
        check_operand(x)
    kind = common_kind((a, b))
    varying = varies(a) or varies(b)
    if varying or is_floating(kind):
        texts = [text_of(x) if varying else _floating_text(x) for x in (a, b)]
    else:
        texts = [f"goban::convert<std::int64_t>({text_of(x)})" for x in (a, b)]
        kind = "int64"
    return recording_of((a, b)).value(f"goban::{name}({texts[0]}, {texts[1]})", kind, varying)


def select(condition, a, b):
    if not isinstance(condition, Value):
        return a if condition else b
    if condition.kind != MASK:
        refuse("select takes a condition first", f"this is a value of type {condition.kind}",
               "compare it, as in u() != 0")
    for x in (a, b):
        check_operand(x)
    if kind_of(a) == MASK and kind_of(b) == MASK:
        return (condition & a) | (~condition & b)
    kind = common_kind((a, b))
    texts = [text_of(a), text_of(b)]
    if not (varies(a) or varies(b)):
        texts = [f"{CPP[kind]}({text})" for text in texts]
        if isinstance(condition, Value) and condition.varies:
            # Two numbers take the type as wide as what was compared; here they have one.
            wide = "double" if is_floating(kind) else "std::int32_t"
            kind = "float64" if is_floating(kind) else "int32"
            texts = [f"static_cast<{wide}>({text_of(x)})" for x in (a, b)]
            return _select_numbers(condition, texts, kind)
    return condition.recording.value(f"goban::select({condition.name}, {texts[0]}, {texts[1]})",
                                     kind, varies(a) or varies(b) or condition.varies)


def _select_numbers(condition, texts, kind):
    return condition.recording.value(
        f"goban::convert<{CPP[kind]}>(goban::select({condition.name}, {texts[0]}, {texts[1]}))",
        kind, True)


def convert(x, kind):
    if kind not in WIDTH:
        refuse(f"convert to {kind} is refused", "", "one of " + ", ".join(WIDTH))
    check_operand(x)
    if not isinstance(x, Value):
        return np.dtype(kind).type(x).item()
    if x.kind == MASK:
        return convert(select(x, 1, 0), kind)
    return x.recording.value(f"goban::convert<{CPP[kind]}>({x.name})", kind, x.varies)


class Value:
    """What a functor computes with: a value of every cell, or a number that is the same for all
    (`varies` is False) and known when the program runs.
    """

    __slots__ = ("recording", "name", "kind", "varies")
    __hash__ = None

    def __init__(self, recording, name, kind, varies):
        self.recording, self.name, self.kind, self.varies = recording, name, kind, varies

    def __add__(self, other):
        return operation("{} + {}", self, other)

    def __radd__(self, other):
        return operation("{} + {}", other, self)

    def __sub__(self, other):
        return operation("{} - {}", self, other)

    def __rsub__(self, other):
        return operation("{} - {}", other, self)

    def __mul__(self, other):
        return operation("{} * {}", self, other)

    def __rmul__(self, other):
        return operation("{} * {}", other, self)

    def __truediv__(self, other):
        return divide(self, other)

    def __rtruediv__(self, other):
        return divide(other, self)

    def __floordiv__(self, other):
        return divide_whole(self, other)

    def __rfloordiv__(self, other):
        return divide_whole(other, self)

    def __mod__(self, other):
        return remainder(self, other)

    def __rmod__(self, other):
        return remainder(other, self)

    def __pow__(self, other):
        return power(self, other)

    def __rpow__(self, other):
        return function_of_values("pow", other, self)

    def __neg__(self):
        return operation("-{}", self)

    def __pos__(self):
        return self

    def __abs__(self):
        return operation("goban::abs({})", self)

    def __invert__(self):
        if self.kind == MASK:
            return self.recording.value(f"!{self.name}", MASK, self.varies)
        return logic("^", self, -1)

    def __lt__(self, other):
        return comparison("<", self, other)

    def __le__(self, other):
        return comparison("<=", self, other)

    def __gt__(self, other):
        return comparison(">", self, other)

    def __ge__(self, other):
        return comparison(">=", self, other)

    def __eq__(self, other):
        return comparison("==", self, other)

    def __ne__(self, other):
        return comparison("!=", self, other)

    def __and__(self, other):
        return logic("&", self, other)

    def __rand__(self, other):
        return logic("&", other, self)

    def __or__(self, other):
        return logic("|", self, other)

    def __ror__(self, other):
        return logic("|", other, self)

    def __xor__(self, other):
        return logic("^", self, other)

    def __rxor__(self, other):
        return logic("^", other, self)

    def __lshift__(self, other):
        return operation("{} << {}", self, other)

    def __rshift__(self, other):
        return operation("{} >> {}", self, other)

    def __bool__(self):
        if not self.varies:
            self._is_not_known()
        refuse("a value of cells as a condition of if, while, and, or, not, min, max or a < b < c",
               "it differs from cell to cell and is not known yet",
               "write goban.select(condition, a, b), goban.min, goban.max, (a < b) & (b < c)")

    def _is_not_known(self):
        refuse("a number as a condition, an offset or the bound of a loop",
               "it is known when the program runs, not when the functor is recorded",
               "take a variable of the script instead, or pass a tuple")

    def _is_no_number(self, *_):
        if not self.varies:
            self._is_not_known()
        refuse("a value of cells as a plain number", "it is not known yet",
               "use goban's sqrt, exp, convert, ...; it cannot be an offset or the bound of a loop")

    __float__ = __int__ = __index__ = __complex__ = __round__ = __iter__ = _is_no_number

    def __array_ufunc__(self, function, method, *operands, **options):
        """NumPy's functions of values are goban's of the same name."""
        from goban import functions

        if method != "__call__" or options:
            refuse(f"numpy.{function.__name__} with options inside a functor", "",
                   "use operators and goban's functions")
        return functions.like_numpy(function, operands)

    def __array_function__(self, function, types, arguments, options):
        if function is np.where and len(arguments) == 3 and not options:
            return select(*arguments)
        refuse(f"numpy.{function.__name__} inside a functor", "it works on whole arrays",
               "use operators and goban's functions")


class Accessor:
    """What a functor gets for a field: `u()` is its value at the cell, `u(1, 0, 0)` at a neighbour,
    `v[c]` the accessor of a component, `next[...] = x` and `v[c] = x` the new values. `len(v)` is
    the number of components.
    """

    def __init__(self, use, component=None):
        self._use = use
        self._component = component

    def __len__(self):
        return self._use.components

    def __call__(self, *offset):
        use = self._use
        place = self._place_of(offset)
        if self._component is None and use.components > 1:
            refuse(f"'{use.name}' has {use.components} components", "", "write v[c]() to read one")
        if any(place):
            use.reads_neighbours = True
        use.reads = True
        use.check()
        return use.recording.value(f"{self._text()}({', '.join(map(str, place)) if any(place) else ''})",
                                   use.kind, True)

    def _neighbours(self, function, site=None):
        """What an operator of C++ makes of this accessor, and of site if it takes that; it reads
        neighbours.
        """
        use = self._use
        if self._component is None and use.components > 1:
            refuse(f"'{use.name}' has {use.components} components", "", "pass one, v[c]")
        if use.is_scratch:
            refuse("scratch has no neighbours", "", "write s[c]() or s[c].before()")
        use.reads = use.reads_neighbours = True
        use.check()
        before = f"{site._text}, " if site is not None else ""
        return use.recording.value(f"{function}({before}{self._text()})", use.kind, True)

    def before(self):
        """Of scratch: what the level visited before holds, 0 where there is none."""
        if not self._use.is_scratch:
            refuse(f"'{self._use.name}' has no before()", "that belongs to scratch")
        if self._component is None and self._use.components > 1:
            refuse("the scratch has several numbers a level", "", "write s[c].before()")
        return self._use.recording.value(f"{self._text()}.before()", self._use.kind, True)

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
        check_operand(value)
        if kind_of(value) == MASK:
            refuse(f"'{use.name}' is assigned a condition", "it is true or false",
                   "write goban.select(condition, 1, 0)")
        if not is_floating(use.kind) and is_floating(kind_of(value)):
            refuse(f"'{use.name}' is of whole numbers", "a fraction would be lost",
                   f'write goban.convert(x, "{use.kind}")')
        use.assign_once(target._component or 0)
        use.check()
        use.recording.assign(target._text(), text_of(value))

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
        try:
            place = [operator.index(n) for n in offset]
        except TypeError:
            refuse(f"'{use.name}' is read at an offset that is no whole number",
                   "neighbours are at fixed distances in cells")
        if use.is_scratch and offset:
            refuse("scratch has no neighbours", "", "write s[c]() or s[c].before()")
        return place + [0] * (3 - len(place))

    def _text(self):
        return self._use.text if self._component is None or self._use.components == 1 \
            else f"{self._use.text}[{self._component}]"

    def _is_no_value(self, *_):
        check_operand(self)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _is_no_value
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _is_no_value
    __neg__ = __pos__ = __abs__ = __invert__ = __lt__ = __le__ = __gt__ = __ge__ = _is_no_value
    __and__ = __rand__ = __or__ = __ror__ = __bool__ = __float__ = __int__ = __index__ = _is_no_value
    __array_ufunc__ = None

    def __eq__(self, other):
        return self._is_no_value() if other is not self else True

    __hash__ = object.__hash__

    def _old(self):
        """What v[c] += x adds to; of a name alone it would bind the name anew and assign nothing."""
        if self._component is None:
            refuse(f"+= and the like on '{self._use.name}'", "it would be a new name in the functor",
                   "write w[...] += x, or v[c] += x")
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

    def __init__(self, recording, text, name, kind, components, said=None, is_scratch=False):
        self.recording, self.text, self.name = recording, text, name
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
            which = f"component {component} of '{self.name}'" if self.components > 1 else f"'{self.name}'"
            refuse(f"{which} is assigned more than once", "",
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

    def __init__(self, recording, text):
        self._recording, self._text = recording, text

    def index(self, axis):
        """Global index of the cell along "x", "y" or "z", int32."""
        return self._recording.value(f"{self._text}.index({_axis(axis)})", "int32", True)

    def position(self, axis, kind="float64"):
        """Coordinate of the value along an axis."""
        return self._recording.value(f"{self._text}.template position<{_floating(kind)}>({_axis(axis)})",
                                     kind, True)

    def time(self):
        """Simulated time at the beginning of the step."""
        return self._recording.value(f"{self._text}.time()", "float64", False)

    def step(self):
        """Number of the step, from 0."""
        return self._recording.value(f"{self._text}.step()", "int64", False)

    def random(self, stream=0, kind="float64"):
        """Uniform in [0, 1): one number per run, step, stream and cell."""
        return self._recording.value(
            f"{self._text}.template random<{_floating(kind)}>({operator.index(stream)})", kind, True)


class Ghost:
    """What a boundary condition of one's own sees of a ghost; all numbers are float64."""

    def __init__(self, recording):
        self._recording = recording

    def _number(self, text):
        return self._recording.value(f"static_cast<double>({text})", "float64", False)

    def inside(self, n):
        """The n-th value inside, counted from the edge, n = 1 ... 16."""
        n = operator.index(n)
        if not 1 <= n <= 16:
            refuse(f"inside({n})", "a ghost sees the values 1 to 16 from the edge")
        return self._number(f"ghost.inside({n})")

    def depth(self):
        """Layers beyond the edge, from 1."""
        return self._number("ghost.depth")

    def component(self):
        return self._number("ghost.component")

    def index(self, axis):
        """Global index of the ghost."""
        return self._number(f"ghost.index[goban::index_of({_axis(axis)})]")

    def position(self, axis):
        return self._number(f"ghost.position[goban::index_of({_axis(axis)})]")

    def time(self):
        """Simulated time of the step that is computed."""
        return self._number("ghost.time")


def _axis(axis):
    if axis not in AXES:
        refuse(f"{axis!r} is no axis", "", 'write "x", "y" or "z"')
    return AXES[axis]


def _floating(kind):
    if kind not in ("float32", "float64"):
        refuse(f"a number of type {kind!r}", "", 'it is "float32" or "float64"')
    return CPP[kind]
