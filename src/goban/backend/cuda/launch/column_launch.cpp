#include "goban/backend/cuda/launch/column_launch.hpp"

#include <algorithm>
#include <bit>

#include "goban/backend/cuda/launch/launch_arguments.hpp"
#include "goban/base/error.hpp"

namespace goban::cuda {
namespace {

/// If a multiprocessor holds at least this many columns, each thread sweeps one column and ends.
constexpr int many_columns = 256;
/// If a multiprocessor would hold fewer columns than this, segments of columns are kept instead,
/// which is 3.4 times as fast for 512 levels on an H200.
constexpr int few_columns = 192;

/// The share of shared memory in percent. Loads in flight need lines of the first-level cache; it
/// raises 103 to 115 GLUP/s for systems of 512 levels on an H200.
constexpr int shared_for_segments = 72;

/// How columns are kept in shared memory, and the launch that follows from it.
struct ColumnLaunch {
  const Kernel* kernel = nullptr;
  Index column_bytes = 0;  ///< bytes of shared memory per column
  int segment = 0;         ///< levels kept at a time; 0 if all are
  int threads = 1;         ///< threads per block
  int at_once = 0;         ///< columns in flight on a multiprocessor; 0 if not even one fits
};

/// Returns whether columns read columns of neighbouring rows.
bool reads_rows_beside(const KernelSubject& subject) {
  const auto& order = subject.shape.order;
  const int axis = order[1] == index_of(subject.columns->axis) ? order[2] : order[1];
  const auto& reads = subject.footprint->reads;
  return std::any_of(reads.begin(), reads.end(), [&](const Read& read) {
    return read.offset[static_cast<std::size_t>(axis)] != 0;
  });
}

/// Chooses the threads of a block for as many columns at a time as fit. Tiles over several rows
/// share what neighbours read, which is worth having somewhat fewer columns.
void choose_threads(ColumnLaunch& launch, Index most_bytes, bool in_tiles) {
  constexpr Index most = most_column_threads;
  const Index bytes = std::max<Index>(1, launch.column_bytes);
  const auto fitting = static_cast<int>(std::min(most, most_bytes / bytes));
  for (const int tried : {most_column_threads, 64, 32, 16, fitting, 4, 2, 1}) {
    const Index of_block = tried * launch.column_bytes;
    if (of_block > most_bytes || tried < 1 || (tried < 16 && launch.at_once > 0)) continue;
    const int held =
        tried * launch.kernel->blocks_at_once(tried, static_cast<std::size_t>(of_block));
    const int least = in_tiles ? launch.at_once + launch.at_once / 4 : launch.at_once;
    if (held > least) launch.threads = tried, launch.at_once = held;
  }
}

/// Chooses the length of segments with which the most columns fit, and the longest of these.
ColumnLaunch choose(StageKernels& kernels, int device, Index levels) {
  const ColumnScratch scratch = scratch_of_columns(kernels.subject());
  const KernelForm form = column_form(kernels.subject(), levels, device);
  const Index most_bytes = most_shared_bytes(device);
  const bool in_tiles = reads_rows_beside(kernels.subject());
  ColumnLaunch best{&kernels.kernel(device, form), scratch.kept * scratch.number_bytes * levels};
  if (form.numbers[0] == 0) {
    choose_threads(best, most_bytes, in_tiles);
    return best;
  }
  for (auto segment = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(levels - 1)));
       segment >= levels_ahead_in_segments; segment /= 2) {
    ColumnLaunch tried{best.kernel};
    tried.segment = static_cast<int>(segment);
    const Index notes = (levels - 1) / segment;
    tried.column_bytes = (scratch.kept * segment + scratch.carried * notes) * scratch.number_bytes;
    choose_threads(tried, most_bytes, in_tiles);
    if (tried.at_once > best.at_once) best = tried;
  }
  return best;
}

}  // namespace

KernelForm column_form(const KernelSubject& subject, Index levels, int device) {
  const ColumnScratch scratch = scratch_of_columns(subject);
  const Index bytes = scratch.kept * scratch.number_bytes * levels;
  const bool in_segments = scratch.has_segments && levels > levels_ahead_in_segments &&
                           few_columns * bytes > most_shared_bytes(device);
  return {KernelForm::Kind::columns, {in_segments ? 1 : 0}};
}

void launch_columns(StageKernels& kernels, int device, const SweepCall& sweep, CUstream stream) {
  const Index levels = sweep.box.extent(sweep.column_axis);
  const Index columns = sweep.box.volume() / levels;
  const ColumnLaunch launch = choose(kernels, device, levels);
  if (launch.at_once == 0) {
    throw Error(ExitCode::resources,
                "columns of " + std::to_string(levels) + " levels are too long",
                "a GPU keeps " + std::to_string(launch.column_bytes) +
                    " bytes of each in shared memory, which has " +
                    std::to_string(most_shared_bytes(device)),
                "keep fewer numbers a level, or compute on CPUs");
  }
  Index blocks = (columns + launch.threads - 1) / launch.threads;
  if (launch.segment == 0 && launch.at_once < many_columns) {
    const Index resident = Index{launch.at_once / launch.threads} *
                           attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    blocks = std::min(blocks, std::max<Index>(1, resident));
  }
  int tile_rows = 1;
  constexpr int tile_width = 32;
  const auto& order = kernels.shape().order;
  const Index row = sweep.box.extent(order[0]);
  const bool is_in_tiles = row >= tile_width && launch.threads % tile_width == 0 &&
                           blocks * launch.threads >= columns &&
                           reads_rows_beside(kernels.subject());
  if (is_in_tiles) {
    tile_rows = launch.threads / tile_width;
    blocks = (row + tile_width - 1) / tile_width * ((columns / row + tile_rows - 1) / tile_rows);
  }
  const SweepArgumentBytes a(kernels.subject(), sweep, {});
  const LaunchGrid grid{{static_cast<unsigned int>(blocks)},
                        {static_cast<unsigned int>(launch.threads)},
                        static_cast<std::size_t>(launch.threads * launch.column_bytes)};
  if (launch.segment > 0) launch.kernel->prefer_shared_memory(shared_for_segments);
  std::vector<std::byte> arguments = a.bytes();
  int segment = launch.segment;
  void* addresses[] = {arguments.data(), &segment, &tile_rows, nullptr};
  launch_with(*launch.kernel, grid, stream, "sweeping columns", addresses);
}

}  // namespace goban::cuda
