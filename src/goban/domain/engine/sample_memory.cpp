#include "goban/domain/engine/sample_memory.hpp"

#include <algorithm>
#include <cstring>

#include "goban/grid/each_cell.hpp"

namespace goban {
namespace {

constexpr std::size_t line = 64;  // records of patches begin there

std::size_t rounded_up(std::size_t bytes) { return (bytes + line - 1) / line * line; }

}  // namespace

std::array<Index, 3> SampleMemory::strides(const FieldRecord& field, const Box& box) {
  const auto [fast, middle, slow] = field.order;
  std::array<Index, 3> stride{};
  stride[static_cast<std::size_t>(fast)] = 1;
  stride[static_cast<std::size_t>(middle)] = box.extent(fast);
  stride[static_cast<std::size_t>(slow)] = box.extent(fast) * box.extent(middle);
  return stride;
}

void SampleMemory::make_room(Domain& domain, Index records) {
  constexpr Index fewest = 16, most = 4096;
  constexpr auto most_bytes = Index{1} << 20;
  if (taken() + records > most_) collect(domain);
  if (distribution_ == domain.distribution() && records <= most_) return;
  const auto bytes = static_cast<Index>(samples_->bytes());
  most_ = std::max(records, std::clamp(most_bytes / bytes, fewest, most));
  distribution_ = domain.distribution();
  allocate(domain);
}

void SampleMemory::allocate(Domain& domain) {
  places_.clear();
  for (const auto& patch : domain.patches().of_grid(samples_->grid()->number)) {
    Place place{patch.patch, patch.owned.lower, {}, 0, nullptr};
    for (std::size_t p = 0; p < samples_->parts().size(); ++p) {
      const Samples::Part& part = samples_->parts()[p];
      const FieldRecord& field = samples_->field_of(part);
      const Box has = shifted(patch.owned_local(field.location), patch.owned.lower);
      const Box box = intersection(part.box, has);
      if (box.empty()) continue;
      place.pieces.push_back({p, box, place.bytes});
      place.bytes += rounded_up(static_cast<std::size_t>(box.volume() * field.components) *
                                field.element_size());
    }
    if (place.pieces.empty()) continue;
    place.memory =
        domain.executor(patch.patch).allocate(place.bytes * static_cast<std::size_t>(most_));
    places_.push_back(std::move(place));
  }
}

Index SampleMemory::begin(Index step, double time) {
  clock_.push_back({step, time});
  return taken() - 1;
}

std::vector<SampleMemory::Copy> SampleMemory::copies(int patch, Index record) const {
  std::vector<Copy> all;
  const auto place = std::find_if(places_.begin(), places_.end(),
                                  [&](const Place& one) { return one.patch == patch; });
  if (place == places_.end()) return all;
  std::byte* const memory = place->memory.get() + static_cast<std::size_t>(record) * place->bytes;
  for (const Piece& piece : place->pieces) {
    const std::size_t number = samples_->parts()[piece.part].field;
    const FieldRecord& field = *samples_->fields()[number];
    const Index bytes = piece.box.volume() * static_cast<Index>(field.element_size());
    for (int c = 0; c < field.components; ++c) {
      CopyTask task;
      task.type = field.type;
      task.order = field.order;
      task.source_box = shifted(piece.box, Index3{} - place->origin);
      task.target_box = {{0, 0, 0}, piece.box.extents()};
      task.target.write = memory + piece.first + c * bytes;
      task.target.stride = strides(field, piece.box);
      all.push_back({number, c, std::move(task)});
    }
  }
  return all;
}

void SampleMemory::unpack(const Place& place, const std::byte* record, std::byte* values) const {
  for (const Piece& piece : place.pieces) {
    const Samples::Part& part = samples_->parts()[piece.part];
    const FieldRecord& field = samples_->field_of(part);
    const auto size = static_cast<Index>(field.element_size());
    const auto stride = strides(field, piece.box);
    const Index3 n = part.box.extents();
    for (Index c = 0; c < field.components; ++c) {
      const std::byte* from = record + piece.first + c * piece.box.volume() * size;
      std::byte* to = values + part.first + c * part.box.volume() * size;
      each_cell(piece.box, [&](Index3 cell) {
        const Index3 here = cell - piece.box.lower, at = cell - part.box.lower;
        std::memcpy(to + (at[0] + n[0] * (at[1] + n[1] * at[2])) * size,
                    from + (here[0] * stride[0] + here[1] * stride[1] + here[2] * stride[2]) * size,
                    static_cast<std::size_t>(size));
      });
    }
  }
}

void SampleMemory::collect(Domain& domain) {
  if (clock_.empty()) return;
  domain.synchronize();
  // Every value is some rank's, and elsewhere 0: their sum is the value.
  const std::size_t words = samples_->bytes() / 8;
  std::vector<std::uint64_t> all(words * clock_.size());
  auto* const values = reinterpret_cast<std::byte*>(all.data());
  for (const Place& place : places_) {
    const std::byte* records = place.memory.get();
    const std::size_t bytes = place.bytes * clock_.size();
    if (DeviceMemory* const device = domain.executor(place.patch).device_memory()) {
      std::byte* const staging = device->staging(bytes);
      device->download(staging, records, bytes);
      records = staging;
    }
    for (std::size_t n = 0; n < clock_.size(); ++n) {
      unpack(place, records + n * place.bytes, values + n * samples_->bytes());
    }
  }
  if (domain.communicator().size() > 1) domain.communicator().sum(all);
  for (std::size_t n = 0; n < clock_.size(); ++n) {
    const std::byte* first = values + n * samples_->bytes();
    samples_->records().push_back(
        {clock_[n].step, clock_[n].time, {first, first + samples_->bytes()}});
  }
  clock_.clear();
}

}  // namespace goban
