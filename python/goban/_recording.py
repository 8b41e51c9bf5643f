"""Values that record instead of computing. A functor is called once with them, and what it does
with them becomes the statements of a C++ functor, in the same order.

Types meet as in C++ functors: of two values of cells the wider one, the floating one; a number
takes the type of the values of cells beside it.
"""

import math

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

    def value(self, text, kind, varies, lanes=0):
        """A new value that the text computes; `lanes`: of a condition, the bytes compared."""
        name = f"t{self.count}"
        self.count += 1
        self.lines.append(f"const auto {name} = {text};")
        return Value(self, name, kind, varies, lanes)

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
    if getattr(x, "is_accessor", False):
        refuse("an accessor inside an expression", "",
               "write u() to read its value at the cell, u(1, 0, 0) at a neighbour")
    if not (isinstance(x, Value) or is_number(x)):
        refuse(f"{type(x).__name__} inside an expression of a functor",
               "it is neither a value of cells nor a number",
               "pass numbers by keyword, fields as arguments")


def recording_of(operands):
    found = [x.recording for x in operands if isinstance(x, Value)]
    if any(one is not found[0] for one in found):
        refuse("a value of another functor", "it was recorded there and means nothing here")
    return found[0]


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
        refuse("a number with a fraction beside whole values of cells",
               "it would lose its fraction", 'write goban.convert(u(), "float32")')
    return kind


def operation(text, *operands):
    """`text` has a place {} for each operand."""
    for x in operands:
        check_operand(x)
    return recording_of(operands).value(text.format(*map(text_of, operands)),
                                        common_kind(operands), any(map(varies, operands)))


def lanes_of(*conditions):
    """Of conditions that are joined: those of values of cells, if there are any."""
    return max((x.lanes for x in conditions if varies(x)), default=0)


def comparison(symbol, a, b):
    for x in (a, b):
        check_operand(x)
    if {kind_of(a), kind_of(b)} == {MASK}:
        lanes = lanes_of(a, b)
    else:
        lanes = WIDTH[common_kind((a, b))]
    return recording_of((a, b)).value(f"{text_of(a)} {symbol} {text_of(b)}", MASK,
                                      varies(a) or varies(b), lanes)


def logic(symbol, a, b):
    """Of conditions, or of the bits of whole values."""
    for x in (a, b):
        check_operand(x)
    kinds = {kind_of(a), kind_of(b)}
    if kinds == {MASK}:
        return recording_of((a, b)).value(f"{text_of(a)} {symbol} {text_of(b)}", MASK,
                                          varies(a) or varies(b), lanes_of(a, b))
    if MASK in kinds:
        refuse(f"{symbol} of a condition and a value", "",
               "compare the value, as in u() != 0, and mind the brackets around comparisons")
    if any(is_floating(kind) for kind in kinds):
        refuse(f"{symbol} of values with fractions", "they have no bits to speak of",
               "put brackets around comparisons: (a < b) & (c < d)")
    return operation(f"{{}} {symbol} {{}}", a, b)


def shift(symbol, a, b):
    for x in (a, b):
        check_operand(x)
        if kind_of(x) == MASK or is_floating(kind_of(x)):
            refuse(f"{symbol} of what is no whole number", "it has no bits to speak of")
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
    return recording_of((a, b)).value(f"goban::convert<double>({text_of(a)}) / {text_of(b)}",
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
    has_other_sign = comparison("<", operation("{} ^ {}", rest, b), 0)
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
    """Of two numbers the type is as wide as what was compared, at least 32 bits."""
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
        if condition.varies:
            condition = _at_least_32_bits(condition)
            kind = f"{'float' if is_floating(kind) else 'int'}{8 * condition.lanes}"
        texts = [f"goban::convert<{CPP[kind]}>({text})" for text in texts]
    return condition.recording.value(f"goban::select({condition.name}, {texts[0]}, {texts[1]})",
                                     kind, varies(a) or varies(b) or condition.varies)


def _at_least_32_bits(condition):
    if condition.lanes > 1:
        return condition
    wide = f"goban::convert<std::int32_t>(goban::select({condition.name}, 1, 0)) != 0"
    return condition.recording.value(wide, MASK, True, 4)


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

    __slots__ = ("recording", "name", "kind", "varies", "lanes")
    __hash__ = None

    def __init__(self, recording, name, kind, varies, lanes=0):
        self.recording, self.name, self.kind, self.varies = recording, name, kind, varies
        self.lanes = lanes

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
            return self.recording.value(f"!{self.name}", MASK, self.varies, self.lanes)
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
        refuse(f"numpy.{function.__name__} inside a functor", "it works on whole arrays",
               "use operators and goban's functions")
