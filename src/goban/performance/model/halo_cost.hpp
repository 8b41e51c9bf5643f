#pragma once
// What halos cost: ghosts that are filled, values that are copied, packed, or sent by sweeps.

#include "goban/performance/model/command_cost.hpp"

namespace goban {

/// Seconds of the queue of a device.
class HaloCost {
 public:
  explicit HaloCost(const CostContext& context)
      : context_(context), device_(context.machine.device) {}

  double filled(const GhostFill& fill) const { return gathered(fill.what, fill.box); }
  /// While the row is in cache: values beside their bytes.
  double filled_with_row(const GhostFill& fill) const {
    return apart(fill.what, fill.box, Way::filled);
  }
  double copied_with_row(const CellCopy& copy) const {
    return apart(copy.what, copy.target, Way::sent);
  }
  /// Seconds of fills by kernels that do nothing else.
  double filled(const std::vector<GhostFill>& fills) const;
  double copied(const std::vector<CellCopy>& copies) const;
  /// Seconds of packing from or to messages.
  double packed(const std::vector<HaloMessage>& messages) const;
  /// Stores of a sweep, or of the last step of a pass, into halos of others.
  enum class By : std::uint8_t { sweep, pass };
  double sent(const Sweep& sweep, By by) const;

  double bytes_of(const Component& what, const Box& box) const;

 private:
  enum class Way : std::uint8_t { filled, sent };
  double gathered(const Component& what, const Box& box) const {
    return moved(what, box, Way::filled);
  }
  double stored(const CellCopy& copy) const {
    return moved(copy.what, copy.target, Way::sent) + on_link(copy);
  }
  double copied(const CellCopy& copy) const;
  double moved(const Component& what, const Box& box, Way way) const;
  double apart(const Component& what, const Box& box, Way way) const;
  double values_of_halo(const Component& what, const Box& box, Way way) const;
  bool is_stored(const Sweep& sweep, const CellCopy& send, By by) const;
  double of_more_launches(std::size_t pieces, const std::vector<CellCopy>& all) const;
  bool is_between_executors(const CellCopy& copy) const {
    return context_.executor_of(copy.from) != context_.executor_of(copy.to);
  }
  double on_link(const CellCopy& copy) const;

  const CostContext& context_;
  const DeviceRates& device_;
};

}  // namespace goban
