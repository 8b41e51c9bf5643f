#include "goban/backend/cuda/launch/bundle_launcher.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/recorded_nodes.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/cuda/launch/bundle_regions.hpp"
#include "goban/backend/cuda/transfer/copy.hpp"
#include "goban/lowering/gpu_launches.hpp"

namespace goban::cuda {
namespace {

using device::BundleRegion;

constexpr std::size_t most_parts = 16, most_regions = 160;
/// The sizes of tables of regions are multiples of this.
constexpr Index regions_at_a_time = 8;
/// The threads of a block. They are few, so that blocks with many parts do not keep a
/// multiprocessor from other blocks.
constexpr int bundle_threads = 128;
/// The number of threads that keep a device busy.
constexpr Index threads_of_device = Index{1} << 16;

/// Returns how many bytes of arguments a bundle's kernel may have, less what shared texts may add.
/// Before CUDA 12.1 there are too few for bundles.
std::size_t most_argument_bytes() {
  constexpr int first_driver = 12010;
  static const bool are_long =
      (is_rehearsal() || driver_version() >= first_driver) && nvrtc_version() != "12.0";
  return are_long ? 30 << 10 : 4096;
}

std::size_t argument_bytes(const KernelSubject& subject) {
  const std::size_t arguments = subject.footprint->parameters.size();
  return sizeof(device::SweepCommon) + arguments * (sizeof(device::FieldView) + sizeof(double)) +
         std::max<std::size_t>(1, subject.constants.size()) * sizeof(std::int64_t);
}

Index threads_for(const std::vector<BundleRegion>& regions, int pack) {
  Index cells = 0;
  for (const BundleRegion& r : regions) {
    cells += Index{1} * (r.high[0] - r.low[0]) * (r.high[1] - r.low[1]) * (r.high[2] - r.low[2]);
  }
  return cells / pack;
}

/// If two functors differ only in constants, these become arguments, so that both have the same
/// text.
void share_text(KernelSubject& a, KernelSubject& b) {
  const auto& nodes = a.graph->nodes();
  const auto& others = b.graph->nodes();
  if (nodes.size() != others.size()) return;
  std::set<int> arguments(a.constants.begin(), a.constants.end());
  arguments.insert(b.constants.begin(), b.constants.end());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n] == others[n]) continue;
    GraphNode same = nodes[n];
    same.data[0] = others[n].data[0];
    if (same.op != GraphOp::constant || same != others[n]) return;
    arguments.insert(static_cast<int>(n));
  }
  a.constants.assign(arguments.begin(), arguments.end());
  b.constants = a.constants;
}

}  // namespace

bool BundleLauncher::suits(const BundlePart& part) {
  const DeviceShape& shape = part.kernels->shape();
  const bool has_one_kind = shape.most_in_place == 0 && !shape.is_reduction &&
                            !shape.reads_other_grids && !part.kernels->subject().columns;
  const bool has_one_shape = shape.blocks().size() == 1 && !shape.marches(1);
  return has_one_kind && part.sends.by_kernel.empty() &&
         (has_one_shape || part.task->box.volume() < gpu::least_cells_of_shapes);
}

bool BundleLauncher::joins(const std::vector<BundlePart>& parts, const BundlePart& next) {
  if (parts.size() == most_parts || next.task->order != parts.front().task->order) return false;
  std::size_t bytes = 2 * sizeof(int) + most_regions * sizeof(BundleRegion) +
                      argument_bytes(next.kernels->subject());
  for (const BundlePart& part : parts) bytes += argument_bytes(part.kernels->subject());
  return bytes <= most_argument_bytes();
}

BundleLauncher::Layout& BundleLauncher::layout_of(const std::vector<BundlePart>& parts) {
  LayoutKey key{groups_of(parts), {}};
  std::vector<Box> boxes;
  for (const BundlePart& part : parts) {
    const auto& [lower, upper] = boxes.emplace_back(part.task->box);
    key.second.push_back(
        {part.kernels, {lower[0], lower[1], lower[2], upper[0], upper[1], upper[2]}});
  }
  const auto [at, is_new] = layouts_.try_emplace(std::move(key));
  Layout& layout = at->second;
  if (!is_new) return layout;
  int widest_stored = 1;
  bool has_many_values = false;
  layout.pack = parts.front().kernels->shape().width;
  for (const BundlePart& part : parts) {
    layout.pack = std::min(layout.pack, part.kernels->shape().width);
    widest_stored = std::max(widest_stored, part.kernels->shape().widest_stored);
    has_many_values = has_many_values || part.kernels->shape().has_many_values();
  }
  constexpr int segment = 64;  // bytes of rows that regions do not cut
  const auto& order = parts.front().task->order;
  int unit = std::max(layout.pack, segment / widest_stored);
  // Threads beside a narrow part would wait for the few that evaluate it.
  for (const Box& box : boxes) {
    while (unit > layout.pack && box.extent(order[0]) < unit) unit /= 2;
  }
  layout.regions = regions_of(boxes, at->first.first, order, unit);
  while (layout.pack > 1 && threads_for(layout.regions, layout.pack) < threads_of_device) {
    layout.pack /= 2;
  }
  const int longest = has_many_values ? bundle_threads : 32;
  layout.blocks = share_out(layout.regions, layout.pack, bundle_threads, longest);
  return layout;
}

BundleLauncher::Made& BundleLauncher::made_for(Layout& layout,
                                               const std::vector<BundlePart>& parts) {
  const std::vector<bool> changing = changing_fields(parts);
  Made& made = layout.made[changing];
  if (!made.subjects.empty()) return made;
  int least_blocks = 0;
  std::size_t field = 0;
  for (const BundlePart& part : parts) {
    KernelSubject& subject =
        made.subjects.emplace_back(subject_with_packs(*part.kernels, layout.pack));
    subject.has_short_offsets = has_short_offsets(part);
    for (std::size_t a = 0; a < part.task->fields.size(); ++a) {
      subject.are_changing.push_back(changing[field++]);
    }
    least_blocks = std::max(least_blocks, subject.shape.least_blocks(1));
  }
  for (std::size_t p = 1; p < parts.size(); ++p) share_text(made.subjects[p - 1], made.subjects[p]);
  std::vector<BundledText> texts;
  for (const KernelSubject& subject : made.subjects) {
    const std::string text = part_text(subject);
    if (!texts.empty() && texts.back().part == text) {
      ++texts.back().count;
    } else {
      texts.push_back({text, 1});
    }
  }
  const auto places = static_cast<int>(round_up(std::ssize(layout.regions), regions_at_a_time));
  made.source = {
      bundle_text(texts, made.subjects.front(), least_blocks, places), "goban_kernel", {}};
  return made;
}

void BundleLauncher::add_sources(std::vector<BundlePart> parts,
                                 std::vector<KernelSource>& sources) {
  Layout& layout = layout_of(parts);
  if (layout.regions.size() > most_regions) {
    const auto middle = parts.begin() + std::ssize(parts) / 2;
    add_sources({parts.begin(), middle}, sources);
    return add_sources({middle, parts.end()}, sources);
  }
  sources.push_back(made_for(layout, parts).source);
  add_copy_sources(sends_of(parts), sources);
}

void BundleLauncher::launch(std::vector<BundlePart> parts, CUstream stream) {
  Layout& layout = layout_of(parts);
  if (layout.regions.size() > most_regions) {
    const auto middle = parts.begin() + std::ssize(parts) / 2;
    launch({parts.begin(), middle}, stream);
    return launch({middle, parts.end()}, stream);
  }
  Made& made = made_for(layout, parts);
  if (!made.kernel) made.kernel = &kernel(device_, made.source);
  const int header[2] = {static_cast<int>(layout.regions.size()), 0};
  const auto places =
      static_cast<std::size_t>(round_up(std::ssize(layout.regions), regions_at_a_time));
  std::vector<std::byte> bytes(sizeof(header) + places * sizeof(BundleRegion));
  std::memcpy(bytes.data(), header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), layout.regions.data(),
              layout.regions.size() * sizeof(BundleRegion));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::vector<std::byte> more =
        SweepArgumentBytes(made.subjects[p], parts[p].call, {}, SweepArgumentBytes::Of::part)
            .bytes();
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  void* addresses[] = {bytes.data(), nullptr};
  const LaunchGrid grid{{layout.blocks}, {static_cast<unsigned int>(bundle_threads)}};
  launch_with(*made.kernel, grid, stream, "starting sweeps", addresses);
  if (changes_recorded_nodes()) return;  // memory stays, and so do copies
  const LeavesNodes unnoted;
  copy_pieces(sends_of(parts), stream);
}

}  // namespace goban::cuda
