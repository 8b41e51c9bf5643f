#include "goban/backend/cuda/bundle_launcher.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "goban/backend/cuda/bundle_regions.hpp"
#include "goban/backend/cuda/copy.hpp"
#include "goban/backend/cuda/kernel_launch.hpp"
#include "goban/backend/cuda/nvrtc.hpp"
#include "goban/backend/cuda/recorded_nodes.hpp"
#include "goban/backend/cuda/rehearsal.hpp"

namespace goban::cuda {
namespace {

using device::BundleRegion;

constexpr std::size_t most_parts = 16, most_regions = 96;
/// Tables of regions have as many places as a multiple of this.
constexpr Index regions_at_a_time = 8;
/// Where a sweep has shapes to choose from, one of fewer cells is over before they matter.
constexpr Index least_cells_of_shapes = Index{1} << 18;
/// Threads that keep a device busy.
constexpr Index threads_of_device = Index{1} << 16;

/// Of the arguments of a kernel; a bundle takes more than there were before CUDA 12.1.
std::size_t most_argument_bytes() {
  constexpr int first_driver = 12010;
  static const bool are_long =
      (is_rehearsal() || driver_version() >= first_driver) && nvrtc_version() != "12.0";
  return are_long ? 32764 : 4096;
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

/// Per field of all parts: it is read alone, and another part writes it.
std::vector<bool> changing_fields(const std::vector<BundlePart>& parts) {
  std::set<const std::byte*> written;
  const auto visit = [&](auto&& see) {
    for (const BundlePart& part : parts) {
      const auto& arguments = part.task->stage->arguments;
      for (std::size_t a = 0; a < arguments.size(); ++a) {
        see(arguments[a].field && arguments[a].access == Access::in,
            arguments[a].field && arguments[a].access != Access::in, part.call.fields[a]);
      }
    }
  };
  visit([&](bool, bool writes, const FieldBinding& field) {
    if (writes) written.insert(field.write);
  });
  std::vector<bool> all;
  visit([&](bool reads, bool, const FieldBinding& field) {
    all.push_back(reads && written.count(field.read) > 0);
  });
  return all;
}

const KernelSubject& subject_with_packs(StageKernels& kernels, int pack) {
  return pack == kernels.shape().width ? kernels.subject() : kernels.with_packs(pack);
}

}  // namespace

bool BundleLauncher::suits(const BundlePart& part) {
  const DeviceShape& shape = part.kernels->shape();
  const bool has_one_kind = shape.most_in_place == 0 && !shape.is_reduction &&
                            !shape.reads_other_grids && !part.kernels->subject().columns;
  const bool has_one_shape = shape.blocks().size() == 1 && !shape.marches(1);
  return has_one_kind && part.sends.by_kernel.empty() &&
         (has_one_shape || part.task->box.volume() < least_cells_of_shapes);
}

bool BundleLauncher::joins(const std::vector<BundlePart>& parts, const BundlePart& next) {
  if (parts.size() == most_parts || next.task->order != parts.front().task->order) return false;
  std::size_t bytes = 2 * sizeof(int) + most_regions * sizeof(BundleRegion) +
                      argument_bytes(next.kernels->subject());
  for (const BundlePart& part : parts) bytes += argument_bytes(part.kernels->subject());
  return bytes <= most_argument_bytes();
}

BundleLauncher::Layout& BundleLauncher::layout_of(const std::vector<BundlePart>& parts) {
  LayoutKey key;
  std::vector<Box> boxes;
  for (const BundlePart& part : parts) {
    const auto& [lower, upper] = boxes.emplace_back(part.task->box);
    key.push_back({part.kernels, {lower[0], lower[1], lower[2], upper[0], upper[1], upper[2]}});
  }
  const auto [at, is_new] = layouts_.try_emplace(std::move(key));
  Layout& layout = at->second;
  if (!is_new) return layout;
  bool has_many_values = false;
  layout.pack = parts.front().kernels->shape().width;
  for (const BundlePart& part : parts) {
    layout.pack = std::min(layout.pack, part.kernels->shape().width);
    has_many_values = has_many_values || part.kernels->shape().has_many_values();
  }
  const auto& order = parts.front().task->order;
  layout.regions = regions_of(boxes, order, layout.pack);
  while (layout.pack > 1 && threads_for(layout.regions, layout.pack) < threads_of_device) {
    layout.pack /= 2;
    layout.regions = regions_of(boxes, order, layout.pack);
  }
  constexpr int blocks_each = 4, fewest = 64;
  const Index least_blocks =
      blocks_each * attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device_);
  const Index threads = threads_for(layout.regions, layout.pack);
  layout.threads = has_many_values ? 128 : 256;
  while (layout.threads > fewest && threads < layout.threads * least_blocks) layout.threads /= 2;
  const int longest = has_many_values ? layout.threads : 32;
  layout.blocks = share_out(layout.regions, layout.pack, layout.threads, longest);
  return layout;
}

KernelSource BundleLauncher::source_for(const Layout& layout, const std::vector<BundlePart>& parts,
                                        const std::vector<bool>& changing) {
  std::vector<BundledText> texts;
  int least_blocks = 0;
  std::size_t field = 0;
  for (const BundlePart& part : parts) {
    KernelSubject subject = subject_with_packs(*part.kernels, layout.pack);
    for (std::size_t a = 0; a < part.task->fields.size(); ++a) {
      subject.are_changing.push_back(changing[field++]);
    }
    least_blocks = std::max(least_blocks, subject.shape.least_blocks(1));
    const std::string text = part_text(subject);
    if (!texts.empty() && texts.back().part == text) {
      ++texts.back().count;
    } else {
      texts.push_back({text, 1});
    }
  }
  const auto places = static_cast<int>(round_up(std::ssize(layout.regions), regions_at_a_time));
  const auto& first = subject_with_packs(*parts.front().kernels, layout.pack);
  return {bundle_text(texts, first, least_blocks, places), "goban_kernel", {}};
}

const Kernel& BundleLauncher::kernel_for(Layout& layout, const std::vector<BundlePart>& parts) {
  const std::vector<bool> changing = changing_fields(parts);
  const Kernel*& made = layout.kernels[changing];
  if (!made) made = &kernel(device_, source_for(layout, parts, changing));
  return *made;
}

void BundleLauncher::add_sources(std::vector<BundlePart> parts,
                                 std::vector<KernelSource>& sources) {
  const Layout& layout = layout_of(parts);
  if (layout.regions.size() > most_regions) {
    const auto middle = parts.begin() + std::ssize(parts) / 2;
    add_sources({parts.begin(), middle}, sources);
    return add_sources({middle, parts.end()}, sources);
  }
  sources.push_back(source_for(layout, parts, changing_fields(parts)));
  for (const BundlePart& part : parts) add_copy_sources(part.sends.by_copy, sources);
}

void BundleLauncher::launch(std::vector<BundlePart> parts, CUstream stream) {
  Layout& layout = layout_of(parts);
  if (layout.regions.size() > most_regions) {
    const auto middle = parts.begin() + std::ssize(parts) / 2;
    launch({parts.begin(), middle}, stream);
    return launch({middle, parts.end()}, stream);
  }
  const Kernel& kernel = kernel_for(layout, parts);
  const int header[2] = {static_cast<int>(layout.regions.size()), 0};
  const auto places =
      static_cast<std::size_t>(round_up(std::ssize(layout.regions), regions_at_a_time));
  std::vector<std::byte> bytes(sizeof(header) + places * sizeof(BundleRegion));
  std::memcpy(bytes.data(), header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), layout.regions.data(),
              layout.regions.size() * sizeof(BundleRegion));
  std::vector<CopyTask> sends;
  for (const BundlePart& part : parts) {
    const SweepArgumentBytes its(subject_with_packs(*part.kernels, layout.pack), part.call, {},
                                 SweepArgumentBytes::Of::part);
    const std::vector<std::byte> more = its.bytes();
    bytes.insert(bytes.end(), more.begin(), more.end());
    sends.insert(sends.end(), part.sends.by_copy.begin(), part.sends.by_copy.end());
  }
  void* addresses[] = {bytes.data(), nullptr};
  const LaunchGrid grid{{layout.blocks}, {static_cast<unsigned int>(layout.threads)}};
  launch_with(kernel, grid, stream, "starting sweeps", addresses);
  if (!changes_recorded_nodes()) copy_pieces(sends, stream);  // memory stays where it is
}

}  // namespace goban::cuda
