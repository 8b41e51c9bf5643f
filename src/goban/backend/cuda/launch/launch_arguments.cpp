#include "goban/backend/cuda/launch/launch_arguments.hpp"

#include <algorithm>
#include <cstring>

#include "goban/backend/site_view_of.hpp"

namespace goban::cuda {
namespace {

using AxisOrder = std::array<int, 3>;

template <class T>
void append(std::vector<std::byte>& bytes, const T* values, std::size_t count) {
  const std::size_t at = bytes.size();
  bytes.resize(at + count * sizeof(T));
  std::memcpy(bytes.data() + at, values, count * sizeof(T));
}
template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
  append(bytes, &value, 1);
}

/// Returns a field in the form in which kernels get it. `order` is its memory order.
device::FieldView view_of(const FieldBinding& b, const AxisOrder& order) {
  device::FieldView v{};
  v.read = reinterpret_cast<const unsigned char*>(b.read);
  v.write = reinterpret_cast<unsigned char*>(b.write);
  v.middle = static_cast<int>(b.stride[static_cast<std::size_t>(order[1])]);
  v.slow = b.stride[static_cast<std::size_t>(order[2])];
  v.component = b.component_stride;
  for (std::size_t i = 0; i < 3; ++i) {
    v.low[i] = static_cast<int>(b.clip.lower[static_cast<std::size_t>(order[i])]);
    v.high[i] = static_cast<int>(b.clip.upper[static_cast<std::size_t>(order[i])]);
  }
  return v;
}

device::SendView view_of(const SentCells& sent) {
  return {sent.shift,
          sent.component_stride,
          static_cast<int>(sent.first),
          static_cast<int>(sent.last),
          sent.components,
          0};
}

void append_constants(std::vector<std::byte>& bytes, const KernelSubject& subject) {
  for (const int n : subject.constants) append(bytes, subject.graph->node(n).data[0]);
  if (subject.constants.empty()) append(bytes, std::int64_t{0});
}

void append_values(std::vector<std::byte>& bytes, const SweepCall& sweep, std::size_t arguments) {
  for (std::size_t i = 0; i < arguments; ++i) {
    append(bytes, device::Number{sweep.numbers ? sweep.numbers[i] : nullptr, sweep.values[i]});
  }
}

/// Finds the plain cells: those that only have to be computed and stored.
void find_plain(device::SweepCommon& a, const KernelSubject& subject,
                const std::vector<device::FieldView>& fields,
                const std::vector<SendsOfArgument>& sends) {
  std::copy(a.low, a.low + 3, a.plain_low);
  std::copy(a.high, a.high + 3, a.plain_high);
  const auto leave_out = [&](const SentCells& sent, int axis) {
    if (sent.components == 0) return;
    if (sent.first <= a.low[axis]) {
      a.plain_low[axis] = std::max(a.plain_low[axis], static_cast<int>(sent.last));
    } else {
      a.plain_high[axis] = std::min(a.plain_high[axis], static_cast<int>(sent.first));
    }
  };
  const auto& parameters = subject.footprint->parameters;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto& parameter = parameters[f];
    const bool is_field = parameter.kind == ParameterDescription::Kind::field;
    if (!is_field || parameter.access == Access::in) continue;
    if (subject.shape.is_reduction) continue;
    for (int i = 0; i < 3; ++i) {
      a.plain_low[i] = std::max(a.plain_low[i], fields[f].low[i]);
      a.plain_high[i] = std::min(a.plain_high[i], fields[f].high[i]);
    }
    if (sends.empty()) continue;
    for (const SentCells& sent : sends[f].planes) leave_out(sent, 2);
    for (const SentCells& sent : sends[f].rows) leave_out(sent, 1);
    if (parameter.components <= most_components_sent) continue;  // these are sent as any other
    for (const SentCells& sent : sends[f].ends) leave_out(sent, 0);
  }
  if (a.mask.read) a.plain_high[0] = a.plain_low[0];
}

}  // namespace

SweepArgumentBytes::SweepArgumentBytes(const KernelSubject& subject, const SweepCall& sweep,
                                       const std::vector<SendsOfArgument>& sends, Of of)
    : common{} {
  const AxisOrder& order = subject.shape.order;
  const std::size_t arguments = subject.footprint->parameters.size();
  std::vector<device::FieldView> fields;
  for (std::size_t i = 0; i < arguments; ++i) fields.push_back(view_of(sweep.fields[i], order));
  if (sweep.mask) common.mask = view_of(*sweep.mask, order);
  common.site = view_of(sweep.site);
  for (std::size_t i = 0; i < 3; ++i) {
    common.low[i] = static_cast<int>(sweep.box.lower[static_cast<std::size_t>(order[i])]);
    common.high[i] = static_cast<int>(sweep.box.upper[static_cast<std::size_t>(order[i])]);
  }
  common.first = static_cast<int>(round_down(common.low[0], subject.shape.width));
  find_plain(common, subject, fields, sends);

  append(rest_, fields.data(), fields.size());
  if (of == Of::part) {
    append_values(rest_, sweep, arguments);
    append_constants(rest_, subject);
    return;
  }
  const SendsOfArgument nothing;
  const auto append_sent = [&](std::size_t i, auto which) {
    for (const SentCells& sent : (sends.empty() ? nothing : sends[i]).*which) {
      append(rest_, view_of(sent));
    }
  };
  for (std::size_t i = 0; i < arguments; ++i) {
    append_sent(i, &SendsOfArgument::planes);
    append_sent(i, &SendsOfArgument::rows);
  }
  for (std::size_t i = 0; i < arguments; ++i) append_sent(i, &SendsOfArgument::ends);
  append_values(rest_, sweep, arguments);
  append_constants(rest_, subject);
  const auto places = static_cast<std::size_t>(std::max(1, subject.shape.most_in_place));
  for (std::size_t i = 0; i < arguments; ++i) {
    std::vector<Index> offsets(places);
    if (sweep.fields[i].places) {
      const auto& of = sweep.fields[i].places->offset;
      std::copy(of.begin(), of.end(), offsets.begin());
    }
    append(rest_, offsets.data(), places);
  }
}

std::vector<std::byte> SweepArgumentBytes::bytes() const {
  std::vector<std::byte> all;
  append(all, common);
  all.insert(all.end(), rest_.begin(), rest_.end());
  return all;
}

MarchArgumentBytes::MarchArgumentBytes(const KernelSubject& subject, const MarchCall& call)
    : common{} {
  const DeviceShape& shape = subject.shape;
  const AxisOrder& order = shape.order;
  const std::array<int, 3> reaches = {shape.star.fast, shape.star.middle, shape.star.slow};
  const int steps = static_cast<int>(call.levels.size());
  const std::size_t arguments = subject.footprint->parameters.size();
  for (std::size_t i = 0; i < arguments; ++i) {
    fields.push_back(view_of(call.levels[0].fields[i], order));
  }
  device::MarchCommon& a = common;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto axis = static_cast<std::size_t>(order[i]);
    a.low[i] = static_cast<int>(call.box.lower[axis]);
    a.high[i] = static_cast<int>(call.box.upper[axis]);
    for (std::size_t k = 0; k < most_march_pairs; ++k) {
      a.readable[k].low[i] = static_cast<int>(call.readable[k].lower[axis]);
      a.readable[k].high[i] = static_cast<int>(call.readable[k].upper[axis]);
    }
    a.changing_low[i] = static_cast<int>(call.changing.lower[axis]);
    a.changing_high[i] = static_cast<int>(call.changing.upper[axis]);
    const int around = (steps - 1) * reaches[i];
    a.needed_low[i] = std::max(a.low[i] - around, std::min(a.low[i], a.changing_low[i]));
    a.needed_high[i] = std::min(a.high[i] + around, std::max(a.high[i], a.changing_high[i]));
  }
  a.first = static_cast<int>(round_down(a.low[0], shape.width));
  for (device::ReadableCells& cells : a.readable) {
    cells.first_pack = static_cast<int>(round_down(cells.low[0], shape.width));
    cells.last_pack = static_cast<int>(round_down(cells.high[0] - 1, shape.width));
  }
  a.planes = a.high[2] - a.low[2];

  append(rest_, fields.data(), fields.size());
  for (const SweepCall& level : call.levels) append(rest_, view_of(level.site));
  for (const SweepCall& level : call.levels) append_values(rest_, level, arguments);
  append_constants(rest_, subject);
  for (const SendsOfArgument& sends : call.sends) {
    for (const SentCells& sent : sends.planes) append(rest_, view_of(sent));
  }
}

std::vector<std::byte> MarchArgumentBytes::bytes() const {
  std::vector<std::byte> all;
  append(all, common);
  all.insert(all.end(), rest_.begin(), rest_.end());
  return all;
}

}  // namespace goban::cuda
