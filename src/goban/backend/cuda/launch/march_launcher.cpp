#include "goban/backend/cuda/launch/march_launcher.hpp"

#include <algorithm>
#include <stdexcept>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/launch/launch_arguments.hpp"
#include "goban/backend/cuda/launch/sends.hpp"

namespace goban::cuda {
namespace {

constexpr Index far = Index{1} << 30;
constexpr Box everything{{-far, -far, -far}, {far, far, far}};
constexpr const char* what = "starting a pass";

/// The most shared memory that tiles of march_tiles() need, in bytes; GPUs for graphics have less.
constexpr int bytes_of_tiles = 192 << 10;

std::size_t rounded_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

/// Makes the descriptor of copies of `words` x `rows` x 1 elements. Elements beyond the array are
/// read as zeros. Throws std::logic_error if rows are not aligned as the copy engine requires.
void make_box_map(device::BoxMap& map, const device::FieldView& f,
                  const device::ReadableCells& cells, int n, int words, int rows) {
  const Index bytes = 16 / n;
  const Index first =
      cells.low[2] * f.slow + cells.low[1] * static_cast<Index>(f.middle) + cells.first_pack;
  constexpr int pack_words = 4;
  const auto* from = f.read + first * bytes;
  const Index row_bytes = f.middle * bytes, plane_bytes = f.slow * bytes;
  const auto is_aligned = [](Index b) { return b > 0 && b % 16 == 0; };
  const std::uint64_t size[] = {
      static_cast<std::uint64_t>(((cells.last_pack - cells.first_pack) / n + 1) * pack_words),
      static_cast<std::uint64_t>(cells.high[1] - cells.low[1]),
      static_cast<std::uint64_t>(cells.high[2] - cells.low[2])};
  const std::uint64_t strides[] = {static_cast<std::uint64_t>(row_bytes),
                                   static_cast<std::uint64_t>(plane_bytes)};
  const std::uint32_t box[] = {static_cast<std::uint32_t>(words), static_cast<std::uint32_t>(rows),
                               1};
  const std::uint32_t every[] = {1, 1, 1};
  const bool is_made =
      reinterpret_cast<std::uintptr_t>(from) % 16 == 0 && is_aligned(row_bytes) &&
      is_aligned(plane_bytes) &&
      driver().cuTensorMapEncodeTiled(
          &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, const_cast<unsigned char*>(from), size, strides,
          box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
          CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
  if (!is_made) throw std::logic_error("the copy engine cannot reach the rows of a field");
}

/// Returns how many planes a block should write, so that blocks fill the device evenly and not too
/// many of them spend `lead` extra planes at their begin and end.
int planes_per_block(int at_once, int columns, int planes, int lead) {
  int best = planes;
  double least = 0;
  for (int chunks = 1; chunks <= (planes + 15) / 16; ++chunks) {
    const int chunk = (planes + chunks - 1) / chunks;
    const int blocks = columns * ((planes + chunk - 1) / chunk);
    const double rounds = (blocks + at_once - 1) / at_once;
    const double time = rounds * (chunk + 2 * lead);
    if (chunks == 1 || time < least) {
      least = time;
      best = chunk;
    }
  }
  return best;
}

/// Returns how many blocks run on the device at a time, and allows the kernel its shared memory.
int blocks_on_device(const Kernel& kernel, int threads, std::size_t shared_bytes) {
  kernel.allow_shared_bytes(shared_bytes);
  return std::max(1, attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, kernel.device()) *
                         kernel.blocks_at_once(threads, shared_bytes));
}

/// Launches a kernel with its arguments as bytes, and further arguments after them.
void launch_march(const Kernel& kernel, const LaunchGrid& grid, CUstream stream,
                  const std::vector<std::byte>& arguments, void* second = nullptr,
                  void* third = nullptr) {
  void* addresses[] = {const_cast<std::byte*>(arguments.data()), second, third, nullptr};
  launch_with(kernel, grid, stream, what, addresses);
}

/// Launches one step with TileRing of kernels/ring.cuh.
void launch_ring(StageKernels& kernels, int device, const MarchCall& call, CUstream stream) {
  const DeviceShape& shape = kernels.shape();
  const MarchTiles tiles = march_tiles(shape, *kernels.subject().footprint, 1);
  const int n = shape.width, beside = shape.star.fast > 0 ? 1 : 0;
  const int width = 32 + 2 * beside;
  const int height = tiles.rows * tiles.warps + 2 * shape.star.middle;
  const auto slots = static_cast<std::size_t>(shape.star.slow + 1 + tiles.ahead);
  const std::size_t plane = rounded_up(static_cast<std::size_t>(height * width) * 16, 128);
  const std::size_t shared = rounded_up(slots * (plane + 2 * 8), 128);
  MarchArgumentBytes a(kernels.subject(), call);
  device::BoxMap map;
  make_box_map(map, a.fields[static_cast<std::size_t>(shape.pairs[0].in)], a.common.readable[0], n,
               4 * width, height);
  const Kernel& kernel = kernels.kernel(device, march_form(KernelForm::Kind::ring, tiles));
  const auto warps = static_cast<unsigned int>(tiles.warps);
  const int at_once = blocks_on_device(kernel, 32 * tiles.warps, shared);
  LaunchGrid grid{{blocks_of(a.common.high[0] - a.common.first, 32 * n),
                   blocks_of(a.common.high[1] - a.common.low[1], tiles.rows * tiles.warps)},
                  {32, warps},
                  shared};
  const int planes = a.common.planes;
  a.common.planes = planes_per_block(at_once, static_cast<int>(grid.blocks.x * grid.blocks.y),
                                     planes, shape.star.slow);
  grid.blocks.z = blocks_of(planes, a.common.planes);
  launch_march(kernel, grid, stream, a.bytes(), &map);
}

/// Launches several steps of reach 1 with StepsTile and StepsMemory of kernels/steps.cuh.
void launch_steps(StageKernels& kernels, int device, const MarchCall& call, CUstream stream) {
  const DeviceShape& shape = kernels.shape();
  const int steps = static_cast<int>(call.levels.size()), n = shape.width;
  const MarchTiles tiles = march_tiles(shape, *kernels.subject().footprint, steps);
  MarchArgumentBytes a(kernels.subject(), call);
  const device::MarchCommon& c = a.common;
  device::StepsMaps maps{};
  for (int k = 0; k < shape.pair_count; ++k) {
    const auto pair = static_cast<std::size_t>(k);
    const auto& field = a.fields[static_cast<std::size_t>(shape.pairs[pair].in)];
    make_box_map(maps.rows[k], field, c.readable[k], n, 128, tiles.rows);
    make_box_map(maps.row[k], field, c.readable[k], n, 128, 1);
  }
  const int height = tiles.rows * tiles.warps, overlap_packs = (steps + n - 1) / n;
  const int own_packs = 32 - 2 * overlap_packs, own_rows = height - 2 * steps;
  const auto tiles_of = [](int size, int length, int own) {
    return size <= length ? 1 : 1 + (size - length + own - 1) / own;
  };
  const auto pack = [&](int cell) { return static_cast<int>(round_down(cell, n)) / n; };
  // Tiles write whole sectors, of two packs: what blocks share of them is slow.
  const int least_pack = std::max(pack(c.low[0]) - overlap_packs, pack(c.changing_low[0] - 1));
  const int first_pack = least_pack - ((least_pack + overlap_packs) & 1);
  const int last_pack = std::min(pack(c.high[0] - 1) + overlap_packs, pack(c.changing_high[0]));
  const int begin = std::max(c.low[1] - steps, c.changing_low[1]);
  const int end = std::min(c.high[1] + steps, c.changing_high[1]);
  device::StepsColumns columns{};
  columns.tiles = tiles_of(last_pack + 1 - first_pack, 32, own_packs);
  columns.columns = columns.tiles * tiles_of(end - begin, height, own_rows);
  columns.first = first_pack * n;
  columns.first_row = begin;
  columns.last_row = std::max(begin, end - height);

  const auto warps = static_cast<std::size_t>(tiles.warps),
             ahead = static_cast<std::size_t>(tiles.ahead);
  const auto pairs = static_cast<std::size_t>(shape.pair_count);
  const auto rows = static_cast<std::size_t>(tiles.rows), some_steps = call.levels.size();
  const std::size_t shared = rounded_up(
      16 * 32 * pairs * (warps * (ahead * rows + 4 * some_steps) + 2 * (ahead + some_steps)) +
          8 * warps * (ahead + 2),
      16);
  const Kernel& kernel =
      kernels.kernel(device, march_form(KernelForm::Kind::steps, tiles, !call.sends.empty()));
  const int at_once = blocks_on_device(kernel, 32 * tiles.warps, shared);
  // A block begins with planes that it does not write.
  const Index work = static_cast<Index>(columns.columns) * c.planes;
  const auto blocks =
      static_cast<unsigned int>(std::min<Index>(at_once, (work + 4 * steps - 1) / (4 * steps)));
  launch_march(kernel, {{blocks}, {32, static_cast<unsigned int>(warps)}, shared}, stream,
               a.bytes(), &columns, &maps);
}

/// Returns the pass as one sweep that writes the same cells to the same memory.
SweepTask outside_of(const PassTask& task) {
  const auto& first = task.steps.front();
  const auto& last = task.steps.back();
  SweepTask whole = last.sweep;
  for (std::size_t a = 0; a < whole.fields.size(); ++a) {
    const int written = last.writes[a];
    const int version = written >= 0 ? written : first.reads[a];
    if (version < 0) continue;
    const auto& info = task.versions[static_cast<std::size_t>(version)];
    whole.fields[a] = info.memory;
    whole.fields[a].clip = info.allocated;
    if (written >= 0) whole.box = info.owned;
  }
  return whole;
}

}  // namespace

bool has_copy_engine(int device) {
  return driver().cuTensorMapEncodeTiled &&
         attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) >= 9 &&
         most_shared_bytes(device) >= bytes_of_tiles;
}

/// Returns the tiles that are fastest on an H200 (benchmarks/cuda/march.cu). A thread that reads
/// other fields besides those that march has fewer registers for its rows.
MarchTiles march_tiles(const DeviceShape& shape, const Footprint& footprint, int steps) {
  const auto fields =
      std::count_if(footprint.parameters.begin(), footprint.parameters.end(),
                    [](const auto& p) { return p.kind == ParameterDescription::Kind::field; });
  const bool reads_others = fields > 2 * shape.pair_count;
  if (shape.pair_count > 1) {
    return shape.pair_count > 2 || reads_others ? MarchTiles{steps, 2, 8, 3, 1}
                                                : MarchTiles{steps, 4, 8, 3, 1};
  }
  if (steps >= 2 && reads_others) return {steps, 2, 16, 3, 1};
  if (steps >= 4) return {steps, 3, 12, 3, 1};
  if (steps >= 2) return {steps, 4, 12, 3, 1};
  return shape.star.farthest() > 1 ? MarchTiles{steps, 2, 12, 4, 1} : MarchTiles{steps, 4, 8, 3, 2};
}

KernelForm march_form(const StageKernels& kernels) {
  const MarchTiles tiles = march_tiles(kernels.shape(), *kernels.subject().footprint, 1);
  return march_form(KernelForm::Kind::ring, tiles);
}

void march_sweep(StageKernels& kernels, int device, const SweepTask& task, const SweepCall& sweep,
                 CUstream stream) {
  const Footprint& footprint = task.stage->footprint;
  MarchCall call;
  call.box = task.box;
  for (std::size_t a = 0; a < task.fields.size(); ++a) {
    const auto& argument = task.stage->arguments[a];
    if (argument.field && argument.access == Access::out) {
      call.box = intersection(task.box, task.fields[a].clip);
    }
  }
  if (call.box.empty()) return;
  Extents reach;
  for (const Axis axis : all_axes) {
    const auto i = static_cast<std::size_t>(index_of(axis));
    reach.low[i] = footprint.reach(axis, Side::low);
    reach.high[i] = footprint.reach(axis, Side::high);
  }
  call.readable[0] = extended(call.box, reach);
  call.changing = everything;
  std::vector<FieldBinding> fields = task.fields;
  for (auto& field : fields) field.clip = call.readable[0];
  call.levels = {sweep};
  call.levels[0].fields = fields.data();
  launch_ring(kernels, device, call, stream);
}

std::vector<CopyTask> march_pass(StageKernels& kernels, int device, const PassTask& task,
                                 CUstream stream) {
  const SweepTask whole = outside_of(task);
  const MarchPairs& pairs = kernels.shape().pairs;
  MarchCall call;
  call.box = whole.box;
  if (call.box.empty()) return {};
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (pairs[k].in < 0) continue;
    const auto in = static_cast<std::size_t>(pairs[k].in);
    const auto version = static_cast<std::size_t>(task.steps.front().reads[in]);
    call.readable[k] = task.versions[version].allocated;
  }
  call.changing = everything;
  for (const auto& step : task.steps) {
    for (const auto& fill : step.fills) {
      const auto axis = static_cast<std::size_t>(fill.axis);
      if (fill.side == Side::low) {
        call.changing.lower[axis] = 0;
      } else {
        call.changing.upper[axis] = fill.cells;
      }
    }
  }
  for (const auto& step : task.steps) {
    SweepCall level;
    level.fields = whole.fields.data();
    level.values = step.sweep.values.data();
    level.site = step.sweep.site;
    call.levels.push_back(level);
  }
  Sends sends = divide_sends(whole, CanStore::planes);
  call.sends = sends.by_kernel;
  launch_steps(kernels, device, call, stream);
  return std::move(sends.by_copy);
}

void add_pass_sources(StageKernels& kernels, const PassTask& task,
                      std::vector<KernelSource>& sources) {
  const int steps = static_cast<int>(task.steps.size());
  const DeviceShape& shape = kernels.shape();
  const SweepTask whole = outside_of(task);
  const Sends sends = divide_sends(whole, CanStore::planes);
  const MarchTiles tiles = march_tiles(shape, *kernels.subject().footprint, steps);
  kernels.add_source(march_form(KernelForm::Kind::steps, tiles, !sends.by_kernel.empty()), sources);
  add_copy_sources(sends.by_copy, sources);
}

}  // namespace goban::cuda
