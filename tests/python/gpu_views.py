"""Fields of a GPU as arrays of CuPy and PyTorch, and the other way about; in order with the program
in whatever stream they work.
"""

import gc

import cupy
import numpy as np
import torch

import goban

runtime = goban.Runtime(devices="cuda:0")
grid = goban.Grid((70, 50, 40))
spin = cupy.RawKernel(r"""
extern "C" __global__ void spin(long long clocks) {
  const long long begin = clock64();
  while (clock64() - begin < clocks) {}
}""", "spin")
triple = cupy.RawKernel(r"""
extern "C" __global__ void triple(const double* from, double* to, long long nx, long long ny,
                                  long long nz, long long from_pitch, long long from_plane,
                                  long long to_pitch, long long to_plane) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz) return;
  const long long x = i % nx, y = i / nx % ny, z = i / (nx * ny);
  to[x + y * to_pitch + z * to_plane] = 3 * from[x + y * from_pitch + z * from_plane];
}""", "triple")


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def refused(attempt, part, kind=goban.Error):
    try:
        attempt()
    except kind as error:
        expect(part in str(error), f"{part!r} expected: {error}")
        return
    raise AssertionError(f"{part!r}: not refused")


def values(u):
    return np.random.default_rng(3).random(u.shape).astype(u.dtype)


def linger():
    """In the current stream of CuPy, for some milliseconds."""
    spin((1,), (1,), (20_000_000,))


def shift(u, next):
    next[...] = u(1, 0, 0) + 0.5 * u()


def shifting(u, next):
    program = goban.Program("shift")
    program.apply(shift, u, next)
    program.swap(u, next)
    return goban.Engine(program)


def shifted(a):
    return np.roll(a, -1, 0) + 0.5 * a


def check_views():
    for components, type in ((1, "float64"), (3, "float32"), (1, "float16"), (1, "int32"),
                             (2, "uint8")):
        u = grid.field("u", type, components=components, location="face_y")
        u[...] = (100 * values(u)).astype(u.dtype)
        view = u.view(writable=True)
        expect(view.device == "cuda:0" and view.stream and view.__dlpack_device__() == (2, 0),
               "where it lies")
        here = cupy.asarray(view)
        expect(here.data.ptr == view.__cuda_array_interface__["data"][0], "a copy by CuPy")
        expect(here.shape == u.shape and here.strides == view.strides and here.dtype == u.dtype,
               "its shape")
        expect(np.array_equal(cupy.asnumpy(here), u.numpy()), "its values")
        there = torch.from_dlpack(view)
        expect(there.data_ptr() == here.data.ptr and there.is_cuda, "a copy by PyTorch")
        expect(np.array_equal(there.cpu().numpy(), u.numpy()), "values of PyTorch")
        again = cupy.from_dlpack(view)
        expect(again.data.ptr == here.data.ptr and again.strides == here.strides, "CuPy by DLPack")
        del here, there, again, view, u
        gc.collect()
    u = grid.field("u")
    read = u.view()
    refused(lambda: np.asarray(read), "it lies on cuda:0")
    expect(read.__cuda_array_interface__["data"][1], "one to be read only says nothing of it")
    refused(lambda: torch.utils.dlpack.from_dlpack(read.__dlpack__()), "take u.view(writable=True)",
            BufferError)
    of_field = torch.from_dlpack(u)
    expect(of_field.data_ptr() == cupy.asarray(u).data.ptr, "a field itself")


def check_writes_and_end():
    u, next = grid.field("u"), grid.field("next")
    u[...] = a = values(u)
    engine = shifting(u, next)
    engine.run(1)
    view = u.view(writable=True)
    cupy.asarray(view)[...] *= 2
    engine.run(1)
    expect(np.array_equal(u.numpy(), shifted(2 * shifted(a))), "old ghosts were read")
    refused(lambda: view.__cuda_array_interface__, "a program has run on its grid since then")
    refused(lambda: view.__dlpack__(), "take u.view() again")


def check_streams_between_runs():
    """What others have put into any stream is done when goban goes on; they need not wait."""
    u, next = grid.field("u"), grid.field("next")
    engine, a = shifting(u, next), values(u)
    u[...] = a
    torch_stream = torch.cuda.Stream()
    for n in range(24):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            how = n % 4
            if how == 0:
                linger()
                cupy.from_dlpack(u)[...] *= 2
            elif how == 1:
                here = cupy.asarray(u)
                linger()
                here *= 2
            elif how == 2:
                with torch.cuda.stream(torch_stream):
                    there = torch.from_dlpack(u)
                    torch.cuda._sleep(20_000_000)
                    there.mul_(2)
            else:
                view = u.view(writable=True)
                here = cupy.from_dlpack(view)
                other = cupy.cuda.Stream(non_blocking=True)
                with other:  # that goban was not told of
                    linger()
                    here *= 2
            a = 2 * a
            if n % 3 == 0:
                expect(np.array_equal(u.numpy(), a), f"numpy() did not wait for {how}")
            engine.run(1)
            a = shifted(a)
            stream.synchronize()
    expect(np.array_equal(u.numpy(), a), "a run did not wait")


def called(work, steps=6):
    """u after steps of which each has a stage that is to triple it between two sweeps."""
    u, next, other = grid.field("u"), grid.field("next"), grid.field("other")
    u[...] = values(u)
    program = goban.Program("called")
    program.apply(shift, u, next)
    if work is None:
        program.apply(lambda a, b: b.__setitem__(..., 3 * a()), next, other)
    else:
        program.call_on_device(work, reads=[next], writes=[other])
    program.apply(lambda a, u: u.__setitem__(..., a(0, 0, 1) * 0.25 + a(0, -1, 0) * 0.125), other,
                  u)
    goban.Engine(program).run(steps)
    return u.checksum()


def on_goban_stream(read, written):
    with cupy.cuda.ExternalStream(read.stream):
        linger()
        cupy.from_dlpack(written)[...] = 3 * reading(read)


def reading(read):
    """Of what is to be read only CuPy takes the memory by its interface."""
    return cupy.asarray(read)


def on_another_stream(read, written):
    with cupy.cuda.Stream(non_blocking=True):
        there = cupy.from_dlpack(written)
        from_there = reading(read)
        linger()
        there[...] = 3 * from_there


def by_kernel(read, written):
    """A kernel of one's own, with pointers, strides and the stream."""
    nx, ny, nz = read.shape
    steps = [step // 8 for view in (read, written) for step in view.strides[1:]]
    with cupy.cuda.ExternalStream(read.stream):
        linger()
        count = nx * ny * nz
        triple(((count + 255) // 256,), (256,),
               (read.address, written.address, nx, ny, nz, *steps))


def by_torch(read, written):
    with torch.cuda.stream(torch.cuda.ExternalStream(read.stream)):
        torch.cuda._sleep(5_000_000)
        torch.from_dlpack(written).copy_(3 * torch.from_dlpack(cupy.asarray(read)))


def by_torch_elsewhere(read, written):
    with torch.cuda.stream(torch.cuda.Stream()):
        there = torch.from_dlpack(written)
        torch.cuda._sleep(5_000_000)
        there.copy_(3 * torch.from_dlpack(cupy.asarray(read)))


def check_calls():
    expected = called(None)
    for work in (on_goban_stream, on_another_stream, by_kernel, by_torch, by_torch_elsewhere):
        expect(called(work) == expected, f"other bits with {work.__name__}")


def check_call_after_a_view_was_lent():
    """Memory that somebody has is waited for in a call that names no stream of theirs."""
    u, other = grid.field("u"), grid.field("other")
    u.fill(1)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        here = cupy.from_dlpack(u)
        linger()
        here += 1
        program = goban.Program("called")
        program.call_on_device(
            lambda read, written: by_kernel(read, written), reads=[u], writes=[other])
        goban.Engine(program).run(1)
        stream.synchronize()
    expect(other.minimum() == other.maximum() == 6, "a call did not wait")


def check_transform():
    """goban to cuFFT and back, where the values lie."""
    u, next = grid.field("u"), grid.field("next")
    u[...] = a = values(u)
    wave = np.fft.fftfreq(70)[:, None, None]

    def smooth(read, written):
        with cupy.cuda.ExternalStream(read.stream):
            spectrum = cupy.fft.fftn(cupy.asarray(read))
            spectrum *= cupy.exp(-50 * cupy.asarray(wave) ** 2)
            cupy.from_dlpack(written)[...] = cupy.fft.ifftn(spectrum).real

    program = goban.Program("spectral")
    program.call_on_device(smooth, reads=[u], writes=[next])
    program.swap(u, next)
    goban.Engine(program).run(4)
    for _ in range(4):
        a = np.fft.ifftn(np.fft.fftn(a) * np.exp(-50 * wave**2)).real
    expect(np.allclose(u.numpy(), a, 0, 1e-12), "a transform in a program")


def check_round_trips():
    """PyTorch to goban to PyTorch without a copy: no memory is asked for but what is there."""
    large = goban.Grid((256, 256, 128))
    u, next = large.field("u", "float32"), large.field("next", "float32")
    engine = shifting(u, next)
    u.fill(1)
    engine.run(2)
    free = torch.cuda.mem_get_info()[0]
    for _ in range(10):
        there = torch.from_dlpack(u)
        there += 1
        engine.run(2)
    del there
    expect(abs(torch.cuda.mem_get_info()[0] - free) < 8 << 20, "memory of a copy was asked for")


def check_lifetime():
    u = goban.Grid((64, 64)).field("u").fill(3)
    there, here = torch.from_dlpack(u), cupy.asarray(u)
    del u
    gc.collect()
    others = [goban.Grid((64, 64)).field("u").fill(n) for n in range(5)]
    expect(bool((there == 3).all()) and bool((here == 3).all()) and others[0].sum() == 0,
           "memory of a tensor was given to others")


def check_storage():
    cells = (70, 50, 40)
    a, b = (goban.zeros(cells, "float32", halo=2, xp=cupy) for _ in range(2))
    plain, its_next = grid.field("plain", "float32"), grid.field("its_next", "float32")
    plain[...] = values(plain)
    a[...] = cupy.asarray(values(plain))
    u, next = grid.field("u", "float32", storage=a), grid.field("next", "float32", storage=b)
    expect(cupy.asarray(u).data.ptr == a.data.ptr and u.checksum() == plain.checksum(), "storage")
    engines = [shifting(u, next), shifting(plain, its_next)]
    for engine in engines:
        engine.run(5)
    linger()
    b *= 2
    plain[...] = 2 * plain
    for engine in engines:
        engine.run(2)
    expect(u.checksum() == plain.checksum(), "other bits in storage of the script's")
    expect(np.array_equal(cupy.asnumpy(b), u.numpy()), "values are not in the storage")
    on_host = goban.zeros(cells, "float32")
    refused(lambda: grid.field("s", "float32", storage=on_host), "of the host")
    dense = cupy.zeros(cells, "float32", order="F")
    refused(lambda: grid.field("s", "float32", storage=dense), "rows do not start")


def check_two_gpus():
    if torch.cuda.device_count() < 2:
        print("one GPU here: views on several are not tested")
        return
    both = goban.Grid((70, 50, 40), runtime=goban.Runtime(devices="cuda:0,1"))
    u, next = both.field("u"), both.field("next")
    u[...] = a = values(u)
    views = u.views(writable=True)
    expect([view.device for view in views] == ["cuda:0", "cuda:1"], "one a GPU")
    refused(u.view, "take u.views()")
    for view in views:
        with cupy.cuda.Device(view.__dlpack_device__()[1]):
            cupy.asarray(view)[...] *= 2

    def double(read, written):
        with cupy.cuda.Device(read.__dlpack_device__()[1]), cupy.cuda.Stream(non_blocking=True):
            there = cupy.from_dlpack(written)
            linger()
            there[...] = 2 * cupy.asarray(read)

    program = goban.Program("both")
    program.call_on_device(double, reads=[u], writes=[next])
    program.apply(shift, next, u)
    goban.Engine(program).run(3)
    a = 2 * a
    for _ in range(3):
        a = shifted(2 * a)
    expect(np.array_equal(u.numpy(), a), "views on two GPUs")


for check in (check_views, check_writes_and_end, check_streams_between_runs, check_calls,
              check_call_after_a_view_was_lent, check_transform, check_round_trips, check_lifetime,
              check_storage, check_two_gpus):
    check()
    gc.collect()
print("all are as they should be")
