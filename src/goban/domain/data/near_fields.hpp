#pragma once
// Memory of patches of other ranks into which devices of this rank store directly.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <tuple>

#include "goban/backend/api.hpp"
#include "goban/base/communicator.hpp"
#include "goban/field/layout.hpp"
#include "goban/grid/patches.hpp"

namespace goban {

/// Opens memory of neighbouring patches on other ranks. All calls but bind() and is_open() are
/// collective. Memory must not be freed before it is closed, as others may still store into it.
class NearFields {
 public:
  using ExecutorOf = std::function<Executor&(int patch)>;

  NearFields(std::shared_ptr<Communicator> communicator, const Patches& patches)
      : communicator_(std::move(communicator)), patches_(patches) {}

  /// A buffer that all ranks have: its memory on this rank's patches, in their order.
  struct Own {
    int serial = -1;
    std::span<const FieldLayout> layout;
    std::span<const std::shared_ptr<std::byte>> memory;
    Index skew = 0;
  };
  bool is_open(int serial) const { return open_.count(serial) > 0; }
  /// Opens the memory of the neighbours along these axes. Throws an Error (ExitCode::resources) on
  /// all ranks if some memory cannot be reached.
  void open(const Own& own, const std::array<bool, 3>& axes, const ExecutorOf& executor);
  /// Returns the pointers and strides of the buffer on patch `to`, for the device of this rank that
  /// computes its neighbour `from`.
  FieldBinding bind(int serial, int from, int to) const;
  /// Close one buffer, or all. No work of this rank that stores into them may be under way.
  void close(int serial);
  void close();

 private:
  struct Place {
    std::shared_ptr<std::byte> memory;
    FieldLayout layout;
    Index skew = 0;
  };
  using Key = std::tuple<int, int, int>;  ///< serial, from, to

  std::shared_ptr<Communicator> communicator_;
  const Patches& patches_;
  std::set<int> open_;
  std::map<Key, Place> places_;
};

}  // namespace goban
