"""Values that record instead of computing. A functor is called once with them, and what it does
with them becomes steps, in the same order, of which the library makes a graph (python/src/
functors.hpp).

Types meet as in C++ functors: of two values of cells the wider one, the floating one; a number
takes the type of the values of cells beside it, and so does a choice of two numbers.
"""

import struct

import numpy as np

from goban.errors import refuse

WIDTH = {"uint8": 1, "int32": 4, "int64": 8, "float32": 4, "float64": 8}
AXES = {"x": 0, "y": 1, "z": 2}
MASK = "mask"


def is_floating(kind):
    return kind.startswith("float")


def met(a, b):
    """The type of two values of cells together."""
    if is_floating(a) != is_floating(b):
        return a if is_floating(a) else b
    return a if WIDTH[a] >= WIDTH[b] else b


class Recording:
    """The steps of one functor."""

    def __init__(self):
        self.steps = []

    def add(self, operation, kind, operands=(), data=()):
        """Where values are compared `kind` is that of both, in logic how many bytes were compared.
        Returns the number of the step.
        """
        places = [self._place_of(x) for x in operands]
        self.steps.append([operation, kind, places, list(data)])
        return len(self.steps) - 1

    def _place_of(self, x):
        if not isinstance(x, Value):
            return self.number(x).step
        if x.recording is not self:
            refuse("a value of another functor", "it was recorded there and means nothing here")
        return x.step

    def value(self, operation, kind, varies, operands=(), data=()):
        return Value(self, self.add(operation, kind, operands, data), kind, varies)

    def condition(self, operation, kind, lanes, *operands):
        """`lanes`: the bytes compared."""
        return Value(self, self.add(operation, kind, operands), MASK, any(map(varies, operands)),
                     lanes)

    def number(self, number, kind=None):
        """A number that is known now; whole ones stay whole."""
        kind = kind or kind_of(number)
        if kind == MASK:
            return Value(self, self.add("number", 0, data=[int(number)]), kind, False)
        if is_floating(kind):
            bits, = struct.unpack("q", struct.pack("d", number))
            return self.value("number", kind, False, data=[bits])
        if abs(int(number)) > 2**63 - 1:
            refuse(f"the number {number} is refused", "it has more than 64 bits")
        return self.value("number", kind, False, data=[int(number)])


def is_number(x):
    return isinstance(x, (bool, int, float, np.bool_, np.integer, np.floating))


def kind_of(x):
    if isinstance(x, Value):
        return x.kind
    if isinstance(x, (bool, np.bool_)):
        return MASK
    if not isinstance(x, (int, np.integer)):
        return "float64"
    return "int32" if abs(int(x)) < 2**31 else "int64"


def varies(x):
    return isinstance(x, Value) and x.varies


def check_operand(x):
    """Values and numbers are; an accessor in their place is the usual slip."""
    if getattr(x, "is_accessor", False):
        refuse("an accessor inside an expression", "",
               "write u() to read its value at the cell, u(1, 0, 0) at a neighbour")
    if not (isinstance(x, Value) or is_number(x)):
        refuse(f"{type(x).__name__} inside an expression of a functor",
               "it is neither a value of cells nor a number",
               "pass numbers by keyword, fields as arguments")


def recording_of(operands):
    return next(x.recording for x in operands if isinstance(x, Value))


def has_own_type(x):
    return varies(x) and not x.is_choice


def common_kind(operands):
    """The type of operands that meet. Refuses numbers with fractions beside whole values."""
    cells = [x for x in operands if has_own_type(x)]
    others = [x for x in operands if not has_own_type(x)]
    for x in operands:
        if kind_of(x) == MASK:
            refuse("arithmetic with a condition", "it is true or false",
                   "write goban.select(condition, a, b)")
    if not cells:
        kind = kind_of(others[0])
        for x in others[1:]:
            kind = met(kind, kind_of(x))
        return "int32" if kind == "uint8" else kind
    kind = cells[0].kind
    for x in cells[1:]:
        kind = met(kind, x.kind)
    if not is_floating(kind) and any(map(varies, others)):
        return next(x.kind for x in others if varies(x))
    if not is_floating(kind) and any(is_floating(kind_of(x)) for x in others):
        refuse("a number with a fraction beside whole values of cells",
               "it would lose its fraction", 'write goban.convert(u(), "float32")')
    for x in others:
        require_fit(x, kind)
    return kind


def require_fit(x, kind):
    """Whole values do not hold a number that has more bits than they."""
    bits = 8 * WIDTH[kind]
    is_whole = not (is_floating(kind) or isinstance(x, Value) or is_floating(kind_of(x)))
    if is_whole and not -2**(bits - 1) <= int(x) < 2**bits:
        refuse(f"the number {x} beside whole values of {bits} bits of cells", "they cannot hold it",
               'write goban.convert(u(), "int32") or "float64"')


def operation(name, *operands, kind=None):
    """`kind`: if it is not that in which the operands meet."""
    for x in operands:
        check_operand(x)
    kind = kind or common_kind(operands)
    made = recording_of(operands).value(name, kind, any(map(varies, operands)), operands)
    made.is_choice = made.varies and is_floating(kind) and not any(map(has_own_type, operands))
    return made


def comparison(symbol, a, b):
    for x in (a, b):
        check_operand(x)
    if {kind_of(a), kind_of(b)} == {MASK}:
        if symbol not in ("==", "!="):
            refuse(f"{symbol} of conditions", "they are true or false")
        return logic("==" if symbol == "==" else "^", a, b)
    kind = common_kind((a, b))
    return recording_of((a, b)).condition(symbol, kind, WIDTH[kind], a, b)


def logic(symbol, a, b):
    """What joins conditions, or the bits of whole values."""
    for x in (a, b):
        check_operand(x)
    kinds = {kind_of(a), kind_of(b)}
    if kinds == {MASK}:
        varying = varies(a) or varies(b)
        lanes = max(x.lanes for x in (a, b) if isinstance(x, Value) and x.varies == varying)
        return recording_of((a, b)).condition(symbol, lanes, lanes, a, b)
    if MASK in kinds:
        refuse(f"{symbol} of a condition and a value", "",
               "compare the value, as in u() != 0, and mind the brackets around comparisons")
    if any(is_floating(kind) for kind in kinds):
        refuse(f"{symbol} of values with fractions", "they have no bits to speak of",
               "put brackets around comparisons: (a < b) & (c < d)")
    return operation(symbol, a, b)


def shift(symbol, a, b):
    for x in (a, b):
        check_operand(x)
        if kind_of(x) == MASK or is_floating(kind_of(x)):
            refuse(f"{symbol} of what is no whole number", "it has no bits to speak of")
    return operation(symbol, a, b, kind=a.kind if varies(a) else None)


def divide(a, b):
    for x in (a, b):
        check_operand(x)
    if not is_floating(common_kind((a, b))):
        if varies(a) or varies(b):
            refuse("/ of whole values of cells", "it makes fractions",
                   'write a // b, or goban.convert(a, "float64") / b')
        a = convert(a, "float64")
    return operation("/", a, b)


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
    quotient, rest = operation("/", a, b), operation("%", a, b)
    if kind == "uint8":
        return quotient, rest
    has_other_sign = comparison("<", operation("^", rest, b), 0)
    is_below = logic("&", comparison("!=", rest, 0), has_other_sign)
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
    """A function of goban's mathematics, of floating values; that of numbers is in double."""
    for x in operands:
        check_operand(x)
    kind = common_kind(operands)
    if not any(map(varies, operands)):
        kind = "float64"
    if not is_floating(kind):
        refuse(f"{name} of whole values of cells", "it makes fractions",
               f'write goban.{name}(goban.convert(u(), "float32"))')
    return operation(name, *operands, kind=kind)


def extremum(name, a, b):
    for x in (a, b):
        check_operand(x)
    kind = common_kind((a, b))
    if not (varies(a) or varies(b)):
        kind = "float64" if is_floating(kind) else "int64"
    return operation(name, a, b, kind=kind)


def select(condition, a, b):
    """Returns a or b. Of two numbers it is a choice, which takes the type of values beside it; whole
    ones are as wide as what was compared, at least 32 bits.
    """
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
    if condition.varies and not (is_floating(kind) or varies(a) or varies(b)):
        condition = _at_least_32_bits(condition)
        kind = f"int{8 * condition.lanes}"
        for x in (a, b):
            require_fit(x, kind)
    selected = operation("select", condition, a, b, kind=kind)
    selected.is_choice = (selected.varies and is_floating(kind)
                          and not (has_own_type(a) or has_own_type(b)))
    return selected


def _at_least_32_bits(condition):
    if condition.lanes > 1:
        return condition
    return convert(operation("select", condition, 1, 0, kind="uint8"), "int32") != 0


def convert(x, kind):
    if kind not in WIDTH:
        refuse(f"convert to {kind} is refused", "", "one of " + ", ".join(WIDTH))
    check_operand(x)
    if not isinstance(x, Value):
        return np.dtype(kind).type(x).item()
    if x.kind == MASK:
        return convert(select(x, 1, 0), kind)
    if x.kind == kind and not x.is_choice:
        return x
    converted = operation("convert", x, kind=kind)
    converted.is_choice = False
    return converted


class Value:
    """What a functor computes with: a value of every cell, or a number that is the same for all
    (`varies` is False) and known when the program runs.
    """

    __slots__ = ("recording", "step", "kind", "varies", "lanes", "is_choice")
    __hash__ = None

    def __init__(self, recording, step, kind, varies, lanes=0):
        self.recording, self.step, self.kind, self.varies = recording, step, kind, varies
        self.lanes = lanes
        self.is_choice = False  # of numbers: takes the type of the values of cells beside it

    def __add__(self, other):
        return operation("+", self, other)

    def __radd__(self, other):
        return operation("+", other, self)

    def __sub__(self, other):
        return operation("-", self, other)

    def __rsub__(self, other):
        return operation("-", other, self)

    def __mul__(self, other):
        return operation("*", self, other)

    def __rmul__(self, other):
        return operation("*", other, self)

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
        return operation("-", self)

    def __pos__(self):
        return self

    def __abs__(self):
        return operation("abs", self)

    def __invert__(self):
        if self.kind == MASK:
            return self.recording.condition("~", self.lanes, self.lanes, self)
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
        return shift("<<", self, other)

    def __rshift__(self, other):
        return shift(">>", self, other)

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
        if function is np.interp and len(arguments) == 3 and not options:
            from goban import functions

            return functions.interp(*arguments)
        refuse(f"numpy.{function.__name__} inside a functor", "it works on whole arrays",
               "use operators and goban's functions")
