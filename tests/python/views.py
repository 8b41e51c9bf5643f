"""Fields as arrays of others: views, NumPy's protocols, DLPack, calls on the device, memory of the
script's as storage. Options of goban choose what computes.
"""

import gc

import numpy as np

import goban

grid = goban.Grid((19, 14, 11))
plane = goban.Grid((33, 20), boundary=goban.wall_value(0))
is_cut = len(grid.field("probe").own()) > 1


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def refused(attempt, part, kind=goban.Error):
    try:
        attempt()
    except kind as error:
        said = str(error)
        expect(part in said and "\n" not in said, f"{part!r} expected: {said}")
        return
    raise AssertionError(f"{part!r}: not refused")


def shifted(next, u):
    next[...] = u(1, 0, 0) + 0.5 * u()


def step_of(u, next):
    program = goban.Program("shift")
    program.apply(lambda u, next: shifted(next, u), u, next)
    program.swap(u, next)
    return goban.Engine(program)


def values(u):
    return np.random.default_rng(3).random(u.shape).astype(u.dtype)


def check_views():
    """One a patch, together all values; writes reach ghosts; refused after a run."""
    for components, type, location in ((1, "float32", "cell"), (3, "float64", "node"),
                                       (2, np.float16, "face_y"), (1, np.int32, "cell"),
                                       (1, np.uint8, "cell")):
        u = grid.field("u", type, components=components, location=location)
        u[...] = (100 * values(u)).astype(u.dtype)
        whole, seen = u.numpy(), np.zeros(u.shape, int)
        for view in u.views():
            box = (..., *(slice(a, b) for a, b in zip(view.lower, view.upper)))
            expect(np.array_equal(view, whole[box]) and view.dtype == u.dtype, "values of a view")
            expect(np.asarray(view).strides == view.strides, "strides of a view")
            expect(np.shares_memory(np.asarray(view), np.asarray(view)), "a view is a copy")
            seen[box] += 1
        expect(seen.min() == 1 and seen.max() == 1, "views that are not each value once")
        refused(lambda: u.views()[0].__setitem__(0, 1), "take u.view(writable=True)")
        del u, view
    u, next = grid.field("u"), grid.field("next")
    u[...] = values(u)
    engine, other = step_of(u, next), grid.field("other")
    engine.run(3)
    before = u.numpy()
    for view in u.views(writable=True):
        view[...] = 2 * np.asarray(view)
    expect(np.array_equal(u.numpy(), 2 * before), "what a view was set to is not in the field")
    engine.run(1)
    expect(np.array_equal(u.numpy(), np.roll(2 * before, -1, 0) + before), "old ghosts were read")
    refused(lambda: np.sum(view), "a program has run on its grid since then")
    refused(lambda: view[0], "take u.view() again")
    view = u.views()[0]
    other.fill(1)
    expect(np.isfinite(view).all(), "a view ended that was not to")
    del engine


def check_whole_view():
    u = grid.field("u")
    u[...] = values(u)
    if is_cut:
        refused(u.view, "has no view as a whole")
        refused(lambda: np.asarray(u, copy=False) if np.__version__ >= "2" else
                u.__array__(copy=False), "take u.views()")
        return
    with u.view() as a:
        expect(np.sum(a) == np.sum(u.numpy()) and repr(a).startswith("View('u', (0, 0, 0)"), "sum")
        expect(a.device == "cpu" and a.stream is None and not a.writable, "what a view says")
    refused(lambda: np.sum(a), "its with block is over")
    array = u.__array__(copy=False)
    expect(not array.flags.writeable, "memory of a field may be written by copy=False")
    u[0, 0, 0] = 7
    expect(array[0, 0, 0] == 7 and u.__array__()[0, 0, 0] == 7, "copy=False is a copy")
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        expect(np.shares_memory(np.asarray(u, copy=False), array), "NumPy's copy=False")
        expect(not np.shares_memory(np.array(u, copy=True), array), "NumPy's copy=True")
    refused(lambda: u.__array__(np.float32, copy=False), "without a copy", ValueError)


def check_lifetime():
    """Memory stays for arrays that outlive the field, its views and its grid."""
    small = goban.Grid((64, 64))
    u = small.field("u").fill(3)
    view = u.views()[0]
    array = np.asarray(view)
    del u, view, small
    gc.collect()
    again = [goban.Grid((64, 64)).field("u").fill(n) for n in range(5)]
    expect((array == 3).all() and again[0].sum() == 0, "memory of a view was given to others")


def check_numpy():
    """Fields where NumPy expects arrays."""
    u, v = grid.field("u", np.float32), grid.field("v", float, components=3)
    a, b = values(u), values(v)
    u[...], v[...] = a, b
    expect(np.isclose(np.sum(u), np.sum(a)) and np.allclose(np.sum(v, axis=0), np.sum(b, axis=0))
           and np.sum(u) == np.sum(u.numpy()), "sum")
    expect(np.array_equal(u + 1, a + 1) and isinstance(u + 1, np.ndarray), "u + 1")
    expect(np.array_equal(2 - u, 2 - a) and np.array_equal(-u, -a)
           and np.array_equal(u > 0.5, a > 0.5) and np.array_equal(np.sqrt(u), np.sqrt(a))
           and np.array_equal(u * v, a * b), "operators")
    expect(np.array_equal(np.where(u > 0.5, u, 0), np.where(a > 0.5, a, 0)), "where")
    expect(np.array_equal(np.stack([u, u]), np.stack([a, a])), "lists of fields")
    expect(np.allclose(np.fft.fftn(u), np.fft.fftn(a), 0, 1e-9), "transforms")
    expect(len(u) == 19 and u.ndim == 3 and u.size == a.size and len(v) == 3, "sizes")
    for index in (np.s_[::2], np.s_[::-1, 3], np.s_[2:9:3, ..., -1], np.s_[..., 1:1], np.s_[[1, 4]],
                  a > 0.5, np.s_[None, 3], (a > 0.5).nonzero(), np.s_[5, 5, 5], np.s_[15:2:-4]):
        expect(np.array_equal(u[index], a[index]), f"u[{index}]")
        u[index] = 0.25
        a[index] = 0.25
        expect(np.array_equal(u, a), f"u[{index}] = ")
    for index in (np.s_[::2], np.s_[:, ::3, 4], np.s_[[0, 2]], np.s_[1, :, ::-2], b > 0.5):
        expect(np.array_equal(v[index], b[index]), f"v[{index}]")
        v[index] = 0.125
        b[index] = 0.125
        expect(np.array_equal(v, b), f"v[{index}] = ")
    u += 1
    expect(isinstance(u, goban.Field) and np.array_equal(u, a + 1), "u += 1")
    np.multiply(u, 2, out=u)
    expect(np.array_equal(u, (a + 1) * 2), "out=u")
    refused(lambda: u[19], "has no index 19 along x", IndexError)
    refused(lambda: v[3], "has no index 3 of its components", IndexError)
    refused(lambda: u[0, 0, 0, 0], "is indexed 4 times")
    refused(lambda: bool(u), "write np.any(u)")
    refused(lambda: list(u), "not iterable", TypeError)
    refused(lambda: np.cumsum(u, axis=0, out=u), "into a field or a view")
    refused(lambda: np.copyto(u, 1), "write u[...] = what it makes")
    refused(lambda: np.put(u, 0, 1), "write u[...] = what it makes")
    refused(lambda: np.fill_diagonal(u, 1), "write u[...] = what it makes")
    expect({u: 1}[u] == 1 and (u == u).all(), "a field as a key")


def check_dlpack():
    u = grid.field("u", "float32")
    u[...] = values(u)
    for view in u.views(writable=True):
        for old in (False, True):
            array = np.from_dlpack(Old(view) if old else view)
            expect(np.array_equal(array, view) and array.strides == view.strides, "DLPack")
            array_of_view = np.asarray(view)
            expect(np.shares_memory(array, array_of_view), "a copy by DLPack")
        refused(lambda: view.__dlpack__(copy=True), "no copy", BufferError)
        del array, array_of_view
    read = u.views()[0]
    expect(read.__dlpack_device__() == (1, 0), "its device")
    refused(lambda: read.__dlpack__(), "take u.view(writable=True)", BufferError)
    capsule = read.__dlpack__(max_version=(1, 0))
    expect("dltensor_versioned" in repr(capsule), repr(capsule))
    del capsule  # nobody took it
    expect(not hasattr(read, "__cuda_array_interface__") and
           not hasattr(u, "__cuda_array_interface__"), "an interface of GPUs on a CPU")
    if not is_cut:
        taken = np.from_dlpack(u)
        taken_before = taken.copy()
        engine = step_of(u, grid.field("next", "float32"))
        del read, view
        engine.run(2)
        expect(taken.shape == taken_before.shape, "memory of a tensor is gone")


class Old:
    """Whoever knows DLPack 0 alone."""

    def __init__(self, view):
        self.view = view

    def __dlpack__(self, stream=None, **options):
        return self.view.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.view.__dlpack_device__()


def check_calls():
    """A function of the script's between sweeps, where the fields lie; in loops, too."""
    u, next = grid.field("u"), grid.field("next")
    u[...] = values(u)
    a = u.numpy()
    boxes, kept = [], []

    def double(read, written):
        boxes.append((read.lower, read.upper))
        expect(not read.writable and written.writable, "what may be written")
        written[...] = 2 * read
        kept.append(read)

    program, inner = goban.Program("called"), goban.Program("inner")
    inner.call_on_device(double, reads=[u], writes=[next])
    inner.swap(u, next)
    program.repeat(2, inner)
    program.apply(lambda u, next: shifted(next, u), u, next)
    program.swap(u, next)
    goban.Engine(program).run(3)
    for _ in range(3):
        a = np.roll(4 * a, -1, 0) + 2 * a
    expect(np.array_equal(u.numpy(), a), "a call on the device")
    expect(len(boxes) == 6 * len(set(boxes)) and (len(set(boxes)) > 1) == is_cut, "its patches")
    refused(lambda: kept[-1][0], "a program has run on its grid since then")
    refused(lambda: program.call_on_device(double), "without fields")
    refused(lambda: program.call_on_device(double, reads=[plane.field("p")], writes=[u])
            and goban.Engine(program), "different grids")

    def fail(view):
        raise ZeroDivisionError("of the script")

    failing = goban.Program("failing")
    failing.call_on_device(fail, writes=[u])
    refused(lambda: goban.Engine(failing).run(1), "of the script", ZeroDivisionError)
    refused(lambda: goban.Program("no").call_on_device(1, writes=[u]), "takes a function")


def compute_in_storage(on, components, type):
    """The bits of fields in memory of goban's; after an odd number of steps names have swapped."""
    cells = on.cells[:on.dimensions]
    a = goban.zeros(cells, type, components, halo=1)
    b = goban.zeros(cells, type, components, halo=3)
    plain, its_next = (on.field(n, type, components) for n in ("plain", "its_next"))
    a[...] = values(plain)
    u, next = (on.field(n, type, components, storage=s) for n, s in (("u", a), ("next", b)))
    plain[...] = a
    expect(np.shares_memory(u.view(), a) and np.array_equal(u, a), "a field beside its storage")
    here, along_x = [0] * on.dimensions, [1] + [0] * (on.dimensions - 1)
    along_last = here[:-1] + [-1]

    def near(u, next):
        for c in range(components):
            of = u[c] if components > 1 else u
            next[c if components > 1 else ...] = of(*along_last) * 0.25 + of(*along_x)

    for one, other in ((u, next), (plain, its_next)):
        program = goban.Program("near")
        program.apply(near, one, other)
        program.swap(one, other)
        goban.Engine(program).run(5)
    expect(u.checksum() == plain.checksum(), "other bits in storage of the script's")
    b[...] *= 2  # where the values are now
    plain[...] = plain * 2
    for one, other in ((u, next), (plain, its_next)):
        program = goban.Program("again")
        program.apply(near, one, other)
        program.swap(one, other)
        program.apply(near, one, other)
        program.swap(one, other)
        goban.Engine(program).run(1)
    expect(u.checksum() == plain.checksum(), "old ghosts of what the script has written were read")
    expect(np.shares_memory(u.view(), b) and np.array_equal(u, b), "not in the storage")


def check_storage():
    """Fields in memory of the script's."""
    if is_cut:
        refused(lambda: grid.field("s", storage=goban.zeros((19, 14, 11))), "cut into patches")
        return
    for on, components, type in ((grid, 1, "float64"), (grid, 3, np.float32), (plane, 1, "float32"),
                                 (goban.Grid(40), 1, float)):
        compute_in_storage(on, components, type)
        gc.collect()
    two = goban.Grid((19, 14, 11))
    dense = np.zeros((19, 14, 11))
    for array, part in ((dense, "not side by side along x"),
                        (dense.T.copy().T, "multiples of"),
                        (goban.zeros((19, 14, 11), "float32"), "values of float32"),
                        (goban.zeros((19, 14)), "it has (19, 14)"),
                        ([1, 2], "list is no array"),
                        (goban.zeros((19, 14, 11))[:, :, ::-1], "its strides")):
        refused(lambda: two.field("s", storage=array), part)
    read = goban.zeros((19, 14, 11))
    read.flags.writeable = False
    refused(lambda: two.field("s", storage=read), "read only")
    narrow = two.field("narrow", storage=goban.zeros((19, 14, 11), halo=1))
    out = two.field("out")
    program = goban.Program("wide")
    program.apply(lambda a, b: b.__setitem__(..., a(3, 0, 0)), narrow, out)
    refused(lambda: goban.Engine(program).run(1), "it has room for 1")


for check in (check_views, check_whole_view, check_lifetime, check_numpy, check_dlpack, check_calls,
              check_storage):
    check()
    gc.collect()
print("all are as they should be")
