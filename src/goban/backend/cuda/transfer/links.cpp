#include "goban/backend/cuda/transfer/links.hpp"

#include <algorithm>
#include <memory>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/driver/measure.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/cuda/driver/timer.hpp"

namespace goban::cuda {
namespace {

constexpr const char* doing = "measuring links";
constexpr std::size_t piece = std::size_t{64} << 20;

using Memory = std::unique_ptr<void, void (*)(void*)>;

class OwnStream {
 public:
  OwnStream() {
    check(driver().cuStreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, 0), doing);
  }
  ~OwnStream() { driver().cuStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  CUstream get() const { return stream_; }

 private:
  CUstream stream_ = nullptr;
};

/// Returns the shortest time, in seconds, of `work`, which submits to a stream of the current
/// device.
template <class Work>
double seconds(CUstream stream, const Work& work) {
  QueueTimer timer(stream, doing);
  constexpr int repetitions = 5;
  timer.time(work);  // warms up
  double best = timer.time(work);
  for (int n = 1; n < repetitions; ++n) best = std::min(best, timer.time(work));
  return best;
}

void enable_access(int from, int to) {
  const CUcontext there = context_of(to);
  const OnDevice current(from);
  driver().cuCtxEnablePeerAccess(there, 0);  // may be enabled already
}

/// Returns the seconds per launch; 0 if no kernel can be compiled.
double launch_seconds(CUstream stream) {
  if (!nvrtc_refusal().empty()) return 0;
  static const OwnKernel do_nothing("extern \"C\" __global__ void goban_do_nothing() {}",
                                    "goban_do_nothing");
  const Kernel& kernel = do_nothing.here();
  LaunchGrid grid{{1}, {32}};
  grid.is_dependent = false;
  constexpr int launches = 500;
  const double time = seconds(stream, [&] {
    for (int n = 0; n < launches; ++n) launch(kernel, grid, stream, "starting a kernel");
  });
  return time / launches;
}

}  // namespace

GpuSpeed measure_device(int number) {
  const OnDevice current(number);
  const OwnStream stream;
  GpuSpeed speed;
  speed.copy_bandwidth = measure_copy(stream.get());
  if (const Memory here{allocate_if_free(piece, doing), free_memory}) {
    const Memory host(allocate_pinned(piece), [](void* p) { driver().cuMemFreeHost(p); });
    speed.from_host =
        piece / seconds(stream.get(), [&] {
          check(driver().cuMemcpyHtoDAsync(address(here.get()), host.get(), piece, stream.get()),
                doing);
        });
    speed.to_host =
        piece / seconds(stream.get(), [&] {
          check(driver().cuMemcpyDtoHAsync(host.get(), address(here.get()), piece, stream.get()),
                doing);
        });
  }
  speed.launch = launch_seconds(stream.get());
  return speed;
}

GpuLink measure_link(int from, int to) {
  GpuLink link;
  int reaches = 0, is_reached = 0;
  check(driver().cuDeviceCanAccessPeer(&reaches, from, to), doing);
  check(driver().cuDeviceCanAccessPeer(&is_reached, to, from), doing);
  link.is_direct = reaches != 0 && is_reached != 0;
  if (link.is_direct) {
    enable_access(from, to);
    enable_access(to, from);
  }
  const auto allocate_on = [](int number) {
    const OnDevice current(number);
    return Memory(allocate_if_free(piece, doing), free_memory);
  };
  const Memory source = allocate_on(from), target = allocate_on(to);
  if (!source || !target) return link;
  const OnDevice current(from);
  const OwnStream stream;
  const auto copies = [&](std::size_t bytes, int count) {
    return seconds(stream.get(),
                   [&] {
                     for (int n = 0; n < count; ++n) {
                       check(driver().cuMemcpyPeerAsync(address(target.get()), context_of(to),
                                                        address(source.get()), context_of(from),
                                                        bytes, stream.get()),
                             "copying to another GPU");
                     }
                   }) /
           count;
  };
  link.bandwidth = static_cast<double>(piece) / copies(piece, 4);
  link.latency = copies(8, 50);
  return link;
}

}  // namespace goban::cuda
