#pragma once
// Records for other ranks, several kinds in one parcel.

#include <cstring>
#include <map>
#include <span>
#include <type_traits>
#include <vector>

#include "goban/base/communicator.hpp"

namespace goban {

/// Parcels being packed, one for each rank that gets anything.
class Packing {
 public:
  template <class Record>
  void add(int rank, const Record* records, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<Record>);
    std::vector<std::byte>& bytes = bytes_[rank];
    const auto* const begin = reinterpret_cast<const std::byte*>(records);
    bytes.insert(bytes.end(), begin, begin + count * sizeof(Record));
  }
  template <class Record>
  void add(int rank, const Record& record) {
    add(rank, &record, 1);
  }
  /// Collective.
  std::vector<Parcel> exchange(Communicator& communicator) {
    std::vector<Parcel> parcels;
    for (auto& [rank, bytes] : bytes_) parcels.push_back({rank, std::move(bytes)});
    bytes_.clear();
    return communicator.exchange(std::move(parcels));
  }

 private:
  std::map<int, std::vector<std::byte>> bytes_;
};

/// What a parcel holds, in its order.
class Unpacking {
 public:
  explicit Unpacking(const Parcel& parcel) : bytes_(parcel.bytes) {}
  bool is_empty() const { return bytes_.empty(); }
  template <class Record>
  Record take() {
    Record record;
    take(&record, 1);
    return record;
  }
  template <class Record>
  void take(Record* records, std::size_t count) {
    std::memcpy(records, bytes_.data(), count * sizeof(Record));
    bytes_ = bytes_.subspan(count * sizeof(Record));
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace goban
