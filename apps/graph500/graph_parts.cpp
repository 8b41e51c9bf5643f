#include "graph500/graph_parts.hpp"

#include <algorithm>
#include <cstring>

namespace goban::graph500 {
namespace {

using Json = nlohmann::ordered_json;

/// Values of all parts, one part after the other.
struct PartedValues {
  std::vector<Index> begin;  ///< where every part begins, and the end
  std::function<void(int part, Index begin, std::span<std::uint32_t> values)> read;
  std::function<void(int part, Index begin, std::span<const std::uint32_t> values)> write;
};

struct Range {
  Index part, begin, count;
};

/// What of [begin, end) lies in which part.
std::vector<Range> ranges_of(const PartedValues& values, Index begin, Index end) {
  std::vector<Range> ranges;
  while (begin < end) {
    const auto after = std::upper_bound(values.begin.begin(), values.begin.end(), begin);
    const Index part = after - values.begin.begin() - 1, stop = std::min(end, *after);
    ranges.push_back({part, begin - *(after - 1), stop - begin});
    begin = stop;
  }
  return ranges;
}

template <class T>
void append(std::vector<std::byte>& bytes, const T* values, Index count) {
  const auto* first = reinterpret_cast<const std::byte*>(values);
  bytes.insert(bytes.end(), first, first + count * static_cast<Index>(sizeof(T)));
}

Range range_at(const std::byte* bytes) {
  Range range;
  std::memcpy(&range, bytes, sizeof(range));
  return range;
}

/// Asks those who have them for values [begin, end).
void fetch(const PartedValues& values, int parts_a_rank, Communicator& ranks, Index begin,
           Index end, std::uint32_t* to) {
  const std::vector<Range> wanted = ranges_of(values, begin, end);
  std::vector<Parcel> questions;
  for (const Range& range : wanted) {
    questions.push_back({static_cast<int>(range.part) / parts_a_rank, {}});
    append(questions.back().bytes, &range, 1);
  }
  std::vector<Parcel> answers;
  for (const Parcel& question : ranks.exchange(std::move(questions))) {
    const Range range = range_at(question.bytes.data());
    std::vector<std::uint32_t> found(static_cast<std::size_t>(range.count));
    values.read(static_cast<int>(range.part), range.begin, found);
    answers.push_back({question.rank, {}});
    append(answers.back().bytes, found.data(), range.count);
  }
  for (const Parcel& answer : ranks.exchange(std::move(answers))) {
    std::memcpy(to, answer.bytes.data(), answer.bytes.size());
    to += answer.bytes.size() / sizeof(std::uint32_t);
  }
}

/// Gives values [begin, end) to those who are to have them.
void hand_out(const PartedValues& values, int parts_a_rank, Communicator& ranks, Index begin,
              Index end, const std::uint32_t* from) {
  std::vector<Parcel> parcels;
  for (const Range& range : ranges_of(values, begin, end)) {
    parcels.push_back({static_cast<int>(range.part) / parts_a_rank, {}});
    append(parcels.back().bytes, &range, 1);
    append(parcels.back().bytes, from, range.count);
    from += range.count;
  }
  for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
    const Range range = range_at(parcel.bytes.data());
    std::vector<std::uint32_t> given(static_cast<std::size_t>(range.count));
    std::memcpy(given.data(), parcel.bytes.data() + sizeof(range), given.size() * 4);
    values.write(static_cast<int>(range.part), range.begin, given);
  }
}

CheckpointArray array_of(const std::string& name, Index size) {
  CheckpointArray array;
  array.name = name;
  array.type = ElementType::int32;
  array.extents = {size, 1, 1};
  array.optional = true;
  return array;
}

CheckpointArray parted(const std::string& name, const std::vector<Index>& sizes,
                       Communicator& ranks, PartedValues values) {
  values.begin.assign(1, 0);
  for (const Index size : sizes) values.begin.push_back(values.begin.back() + size);
  CheckpointArray array = array_of(name, values.begin.back());
  const int parts_a_rank = static_cast<int>(sizes.size()) / ranks.size();
  array.copy_out = [values, parts_a_rank, &ranks](const Box& box, void* to) {
    fetch(values, parts_a_rank, ranks, box.lower[0], box.upper[0], static_cast<std::uint32_t*>(to));
  };
  array.copy_in = [values, parts_a_rank, &ranks](const Box& box, const void* from) {
    hand_out(values, parts_a_rank, ranks, box.lower[0], box.upper[0],
             static_cast<const std::uint32_t*>(from));
  };
  return array;
}

/// Values that all ranks have.
CheckpointArray common(const std::string& name, Buffer<std::uint32_t>& values,
                       Communicator& ranks) {
  CheckpointArray array = array_of(name, values.size());
  array.copy_out = [&values](const Box& box, void* to) {
    std::copy(values.begin() + box.lower[0], values.begin() + box.upper[0],
              static_cast<std::uint32_t*>(to));
  };
  array.copy_in = [&values, &ranks](const Box& box, const void* from) {
    std::vector<Parcel> parcels;
    const Range range{0, box.lower[0], box.upper[0] - box.lower[0]};
    for (int rank = 0; rank < ranks.size() && range.count > 0; ++rank) {
      parcels.push_back({rank, {}});
      append(parcels.back().bytes, &range, 1);
      append(parcels.back().bytes, static_cast<const std::uint32_t*>(from), range.count);
    }
    for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
      std::memcpy(values.data() + range_at(parcel.bytes.data()).begin,
                  parcel.bytes.data() + sizeof(Range), parcel.bytes.size() - sizeof(Range));
    }
  };
  return array;
}

/// The numbers of all ranks, in their order.
std::vector<Index> of_all(const std::vector<Index>& own, Communicator& ranks) {
  std::vector<std::uint64_t> all(own.size() * static_cast<std::size_t>(ranks.size()), 0);
  std::copy(own.begin(), own.end(),
            all.begin() + ranks.rank() * static_cast<std::ptrdiff_t>(own.size()));
  ranks.sum(all);
  return {all.begin(), all.end()};
}

}  // namespace

GraphParts::~GraphParts() = default;

Json to_json(const GraphShape& shape) {
  return {{"rows", shape.rows},
          {"parts", shape.parts},
          {"labels", shape.labels},
          {"has_weights", shape.has_weights},
          {"row_entries", shape.row_entries},
          {"column_entries", shape.column_entries}};
}

GraphShape shape_from(const Json& json) {
  return {json.at("rows"),        json.at("parts"),       json.at("labels"),
          json.at("has_weights"), json.at("row_entries"), json.at("column_entries")};
}

GraphShape shape_of(const Partition& partition, Index labels, bool has_weights,
                    const std::vector<Index>& row_entries, const std::vector<Index>& column_entries,
                    Communicator& ranks) {
  return {partition.rows(), partition.parts(),          labels,
          has_weights,      of_all(row_entries, ranks), of_all(column_entries, ranks)};
}

std::vector<CheckpointArray> graph_arrays(GraphParts& parts, const GraphShape& shape,
                                          Communicator& ranks) {
  const auto parted_array = [&](const char* name, Lists lists, ListValues what,
                                const std::vector<Index>& sizes) {
    PartedValues values;
    values.read = [&parts, lists, what](int part, Index begin, std::span<std::uint32_t> to) {
      parts.read(lists, what, part, begin, to);
    };
    values.write = [&parts, lists, what](int part, Index begin,
                                         std::span<const std::uint32_t> from) {
      parts.write(lists, what, part, begin, from);
    };
    return parted(name, sizes, ranks, std::move(values));
  };
  const auto counts = [&](Index blocks) {
    return std::vector<Index>(static_cast<std::size_t>(shape.parts), blocks * Partition::block);
  };
  const Partition partition = shape.partition(0);
  std::vector<CheckpointArray> arrays;
  arrays.push_back(common("original", parts.labels().original, ranks));
  arrays.push_back(common("degree", parts.labels().degree, ranks));
  arrays.push_back(
      parted_array("row counts", Lists::rows, ListValues::counts, counts(partition.row_blocks())));
  arrays.push_back(
      parted_array("row neighbours", Lists::rows, ListValues::neighbours, shape.row_entries));
  if (shape.parts > 1) {
    arrays.push_back(parted_array("column counts", Lists::columns, ListValues::counts,
                                  counts(partition.column_blocks())));
    arrays.push_back(parted_array("column neighbours", Lists::columns, ListValues::neighbours,
                                  shape.column_entries));
  }
  if (shape.has_weights) {
    arrays.push_back(parted_array("weights", shape.weighted(), ListValues::weights,
                                  shape.parts > 1 ? shape.column_entries : shape.row_entries));
  }
  return arrays;
}

}  // namespace goban::graph500
