#include "goban/backend/cuda/launch/reduction_launcher.hpp"

#include <algorithm>
#include <cstring>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/launch/launch_arguments.hpp"
#include "goban/backend/cuda/transfer/copy.hpp"

namespace goban::cuda {
namespace {

constexpr std::size_t most_sums = 8, most_bytes_of_sums = 4000;
constexpr int block_threads = 256;
/// Reductions of fewer cells have more threads, each of which takes only one plane at a time.
constexpr Index least_cells_of_blocks = Index{1} << 21;
constexpr int most_planes_at_once = 2;
/// Beginning a block and handing over its result takes as long as walking this many planes.
constexpr int planes_of_an_end = 2;

bool is_in_place(const BundlePart& part) { return part.kernels->shape().most_in_place > 0; }

SweepArgumentBytes::Of kind_of(const BundlePart& part) {
  return is_in_place(part) ? SweepArgumentBytes::Of::sweep : SweepArgumentBytes::Of::part;
}

int planes_at_once(const std::vector<BundlePart>& parts) {
  const Box& box = parts.front().task->box;
  const bool has_few = std::any_of(parts.begin(), parts.end(), [](const BundlePart& part) {
    return part.kernels->shape().updates || part.kernels->shape().has_many_values();
  });
  const auto planes = static_cast<int>(box.extent(parts.front().kernels->shape().order[2]));
  return has_few || box.volume() < least_cells_of_blocks ? 1
                                                         : std::min(planes, most_planes_at_once);
}

/// Returns how many planes a thread walks so that all blocks end soonest. There are `columns`
/// columns of blocks, and at most `in_flight` blocks run at a time.
int planes_of_thread(int planes, int at_once, unsigned int columns, unsigned int in_flight) {
  int best = planes;
  double least = 0;
  for (int layers = 1; layers <= std::min(planes, most_blocks_along); ++layers) {
    const int each = ((planes + layers - 1) / layers + at_once - 1) / at_once * at_once;
    const unsigned int waves = (columns * blocks_of(planes, each) + in_flight - 1) / in_flight;
    const double time = 1.0 * waves * (each + planes_of_an_end);
    if (layers > 1 && time >= least) continue;
    least = time;
    best = each;
  }
  return best;
}

}  // namespace

bool ReductionLauncher::joins(const std::vector<BundlePart>& parts, const BundlePart& next) {
  if (parts.size() == most_sums) return false;
  std::size_t bytes = 0;
  const auto fits = [&](const BundlePart& part) {
    const DeviceShape& shape = part.kernels->shape();
    const KernelSubject& subject = part.kernels->subject();
    bytes += sizeof(device::SweepCommon) +
             subject.footprint->parameters.size() * (sizeof(device::FieldView) + sizeof(double)) +
             std::max<std::size_t>(1, subject.constants.size()) * sizeof(std::int64_t);
    const bool is_plain = !is_in_place(part) && !shape.reads_other_grids && !subject.columns &&
                          !shape.has_many_values() && part.sends.by_kernel.empty();
    return is_plain && part.task->box == next.task->box && part.task->order == next.task->order;
  };
  return std::all_of(parts.begin(), parts.end(), fits) && fits(next) && bytes <= most_bytes_of_sums;
}

ReductionLauncher::Made& ReductionLauncher::made_for(const std::vector<BundlePart>& parts,
                                                     int planes) {
  Key key{{}, planes, changing_fields(parts), {}};
  int pack = parts.front().kernels->shape().width;
  for (const BundlePart& part : parts) {
    key.kernels.push_back(part.kernels);
    key.have_short_offsets.push_back(parts.size() > 1 && has_short_offsets(part));
    pack = std::min(pack, part.kernels->shape().width);
  }
  Made& made = made_[key];
  if (!made.subjects.empty()) return made;
  std::size_t field = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    KernelSubject& subject =
        made.subjects.emplace_back(subject_with_packs(*parts[p].kernels, pack));
    subject.has_short_offsets = key.have_short_offsets[p];
    for (std::size_t a = 0; a < parts[p].task->fields.size(); ++a) {
      subject.are_changing.push_back(key.changing[field++]);
    }
  }
  made.source = {reduction_text(made.subjects, planes), "goban_kernel", {}};
  return made;
}

void ReductionLauncher::add_sources(const std::vector<BundlePart>& parts,
                                    std::vector<KernelSource>& sources) {
  const Made& made = made_for(parts, planes_at_once(parts));
  if (!made.kernel) sources.push_back(made.source);
  add_copy_sources(sends_of(parts), sources);
}

void ReductionLauncher::launch(const std::vector<BundlePart>& parts,
                               const ReductionMemory* memories, CUstream stream) {
  const int at_once = planes_at_once(parts);
  Made& made = made_for(parts, at_once);
  if (!made.kernel) {
    made.kernel = &kernel(device_, made.source);
    const int each = std::max(1, made.kernel->blocks_at_once(block_threads, 0));
    made.in_flight = static_cast<unsigned int>(
        each * attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device_));
  }
  std::vector<std::byte> bytes(sizeof(device::ReductionWalk));
  device::ReductionWalk walk{};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    SweepArgumentBytes a(made.subjects[p], parts[p].call, {}, kind_of(parts[p]));
    if (parts[p].task->reducer) {
      a.common.reduction = {static_cast<device::uint64*>(memories->state),
                            static_cast<device::uint64*>(memories->result), parts[p].task->result};
      ++memories;
    }
    std::copy(a.common.low, a.common.low + 3, walk.low);
    std::copy(a.common.high, a.common.high + 3, walk.high);
    walk.first = a.common.first;
    const std::vector<std::byte> more = a.bytes();
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  const int width = made.subjects.front().shape.width;
  unsigned int x = 32, y = block_threads / x;
  const int packs = (walk.high[0] - walk.first + width - 1) / width;
  for (; x > 4 && static_cast<int>(x / 2) >= packs; x /= 2) y *= 2;
  const int rows = walk.high[1] - walk.low[1];
  for (; x > 4 && blocks_of(rows, static_cast<int>(y)) > most_blocks_along; x /= 2) y *= 2;
  const unsigned int blocks_x = blocks_of(walk.high[0] - walk.first, static_cast<int>(x) * width),
                     blocks_y = blocks_of(rows, static_cast<int>(y));
  const int planes = walk.high[2] - walk.low[2];
  walk.planes = planes_of_thread(planes, at_once, blocks_x * blocks_y, made.in_flight);
  std::memcpy(bytes.data(), &walk, sizeof(walk));
  void* addresses[] = {bytes.data(), nullptr};
  const LaunchGrid grid{{blocks_x, blocks_y, blocks_of(planes, walk.planes)}, {x, y}};
  launch_with(*made.kernel, grid, stream, "starting a reduction", addresses);
  if (changes_recorded_nodes()) return;  // memory stays, and so do copies
  const LeavesNodes unnoted;
  copy_pieces(sends_of(parts), stream);
}

}  // namespace goban::cuda
