#include "goban/domain/data/list_values.hpp"

#include <algorithm>
#include <cstring>

#include "goban/domain/ranks/rank_reductions.hpp"

namespace goban {
namespace {

Box numbers(Index begin, Index cells) { return {{begin, 0, 0}, {begin + cells, 1, 1}}; }

}  // namespace

ListValues::Runs ListValues::runs(int rank, const Box& box) const {
  Runs all;
  const Box own = cut_.owned_by(rank);
  if (box.empty() || own.empty()) return all;
  Index before = 0;
  list_.each_run(box.lower[0], box.upper[0], [&](Index along_curve, Index number, Index cells) {
    const Box part = intersection(own, numbers(number, cells));
    if (part.empty()) return;
    all.push_back({along_curve + part.lower[0] - number, part.lower[0], part.extent(0), before});
    before += part.extent(0);
  });
  return all;
}

/// Allocates an array for the values of runs.
ListValues::Values ListValues::values(const Runs& runs, std::vector<std::byte>& memory) const {
  const Index cells = runs.empty() ? 0 : runs.back().before + runs.back().cells;
  memory.resize(static_cast<std::size_t>(cells) * components_ * element_size_);
  return {memory.data(), cells};
}

void ListValues::copy(const Values& from, Index first, const Values& to, Index place,
                      Index cells) const {
  const auto bytes = [&](Index n) { return static_cast<std::size_t>(n) * element_size_; };
  for (std::size_t c = 0; c < components_; ++c) {
    std::memcpy(to.elements + c * bytes(to.cells) + bytes(place),
                from.elements + c * bytes(from.cells) + bytes(first), bytes(cells));
  }
}

/// Reads runs that lie near each other in the list together, because devices send a few large
/// pieces sooner than many small ones.
void ListValues::read(const Runs& runs, const Values& to, const BoxSource& own) const {
  constexpr Index farthest = 4096;
  Runs sorted = runs;
  std::sort(sorted.begin(), sorted.end(),
            [](const Run& a, const Run& b) { return a.number < b.number; });
  std::vector<std::byte> memory;
  for (auto first = sorted.begin(); first != sorted.end();) {
    Index end = first->number;
    auto last = first;
    for (; last != sorted.end() && last->number <= end + farthest; ++last) {
      end = last->number + last->cells;
    }
    const Box group = numbers(first->number, end - first->number);
    memory.resize(static_cast<std::size_t>(group.extent(0)) * components_ * element_size_);
    own(group, memory.data());
    for (const Index begin = first->number; first != last; ++first) {
      copy({memory.data(), group.extent(0)}, first->number - begin, to, first->before,
           first->cells);
    }
  }
}

void ListValues::write(const Runs& runs, const Values& from, const BoxSink& own) const {
  std::vector<std::byte> memory;
  for (const Run& run : runs) {
    memory.resize(static_cast<std::size_t>(run.cells) * components_ * element_size_);
    copy(from, run.before, {memory.data(), run.cells}, 0, run.cells);
    own(numbers(run.number, run.cells), memory.data());
  }
}

void ListValues::copy_out_own(const Box& box, void* elements, const BoxSource& own) const {
  const Runs mine = runs(communicator_.rank(), box);
  std::vector<std::byte> memory;
  const Values packed = values(mine, memory);
  read(mine, packed, own);
  const Values all{static_cast<std::byte*>(elements), box.extent(0)};
  for (const Run& run : mine) {
    copy(packed, run.before, all, run.along_curve - box.lower[0], run.cells);
  }
}

std::vector<Box> ListValues::boxes_of_all(const Box& box) const {
  const auto ranks = static_cast<std::size_t>(communicator_.size());
  std::vector<std::uint64_t> ends(2 * ranks, 0);
  if (!box.empty()) {
    const auto rank = static_cast<std::size_t>(communicator_.rank());
    ends[2 * rank] = static_cast<std::uint64_t>(box.lower[0]);
    ends[2 * rank + 1] = static_cast<std::uint64_t>(box.upper[0]);
  }
  communicator_.sum(ends);
  std::vector<Box> boxes;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto begin = static_cast<Index>(ends[2 * r]);
    boxes.push_back(numbers(begin, static_cast<Index>(ends[2 * r + 1]) - begin));
  }
  return boxes;
}

void ListValues::copy_out(const Box& box, void* elements, const BoxSource& own) const {
  copy_out_own(box, elements, own);
  if (communicator_.size() == 1) return;
  const std::vector<Box> wanted = boxes_of_all(box);
  std::vector<Parcel> answers;
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    const Runs mine = runs(communicator_.rank(), wanted[static_cast<std::size_t>(rank)]);
    if (rank == communicator_.rank() || mine.empty()) continue;
    answers.push_back({rank, {}});
    read(mine, values(mine, answers.back().bytes), own);
  }
  const Values all{static_cast<std::byte*>(elements), box.extent(0)};
  for (Parcel& parcel : communicator_.exchange(std::move(answers))) {
    const Runs theirs = runs(parcel.rank, box);
    const Values packed = values(theirs, parcel.bytes);
    for (const Run& run : theirs) {
      copy(packed, run.before, all, run.along_curve - box.lower[0], run.cells);
    }
  }
}

void ListValues::copy_in(const Box& box, const void* elements, const BoxSink& own) const {
  const Values all{static_cast<std::byte*>(const_cast<void*>(elements)), box.extent(0)};
  const auto packed = [&](const Runs& some, std::vector<std::byte>& memory) {
    const Values part = values(some, memory);
    for (const Run& run : some) {
      copy(all, run.along_curve - box.lower[0], part, run.before, run.cells);
    }
    return part;
  };
  std::vector<std::byte> memory;
  const Runs mine = runs(communicator_.rank(), box);
  write(mine, packed(mine, memory), own);
  if (all_have(communicator_, box)) return;
  const std::vector<Box> given = boxes_of_all(box);
  std::vector<Parcel> parcels;
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    const Runs theirs = runs(rank, box);
    if (rank == communicator_.rank() || theirs.empty()) continue;
    parcels.push_back({rank, {}});
    packed(theirs, parcels.back().bytes);
  }
  for (Parcel& parcel : communicator_.exchange(std::move(parcels))) {
    const Runs here = runs(communicator_.rank(), given[static_cast<std::size_t>(parcel.rank)]);
    write(here, values(here, parcel.bytes), own);
  }
}

}  // namespace goban
