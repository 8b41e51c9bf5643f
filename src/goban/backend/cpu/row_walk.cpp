#include "goban/backend/cpu/row_walk.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "goban/backend/cpu/row_walk_memory.hpp"
#include "goban/backend/site_view_of.hpp"

namespace goban::cpu {
namespace {

using ParameterKind = ParameterDescription::Kind;

}  // namespace

RowWalk::RowWalk(const RowSubject& subject, const KernelShape& shape, const RowKernels& kernels,
                 const SweepCall& call)
    : subject_(subject),
      shape_(shape),
      kernels_(kernels),
      call_(call),
      width_(kernels.rows ? shape.width : 1),
      fast_(static_cast<std::size_t>(shape.order[0])),
      middle_(static_cast<std::size_t>(shape.order[1])),
      slow_(static_cast<std::size_t>(shape.order[2])),
      own_memory_(std::make_unique<Memory>()),
      memory_(*own_memory_),
      site_(view_of(call.site)) {
  const std::size_t count = subject.footprint.parameters.size();
  memory_.fields.resize(count);
  memory_.rows.resize(count);
  for (std::size_t a = 0; a < count; ++a) add_field(a);
  const auto& outputs = subject.graph->branches().front().outputs;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Output& output = subject.footprint.outputs[o];
    const auto argument = static_cast<std::size_t>(output.parameter);
    if (outputs[o] < 0 || memory_.fields[argument].is_scratch) continue;
    memory_.results.push_back({argument, output.component});
  }
  row_.field = memory_.rows.data();
  row_.value = call.values;
  static_assert(sizeof(std::uint64_t) == sizeof(device::uint64));
  row_.constant = reinterpret_cast<const device::uint64*>(subject.constants.data());
  row_.site = &site_;
  row_.streaming = call.streaming;
  if (call.fetcher) {
    row_.before_row = [](void* fetcher, device::Index cells) {
      (*static_cast<LineFetcher*>(fetcher))(cells);
    };
    row_.fetcher = call.fetcher;
  }
  if (!kernels.rows) {
    evaluator_ =
        std::make_unique<RowRun>(*subject.program, shape.order, shape.writes_in_place, call_);
    kernels_ = {evaluate_rows, evaluate_rows, evaluate_rows};
    row_.evaluator = evaluator_.get();
  }
  aim_at_fields();
}

RowWalk::~RowWalk() = default;

void RowWalk::add_field(std::size_t a) {
  const ParameterDescription& parameter = subject_.footprint.parameters[a];
  Memory::Field& field = memory_.fields[a];
  device::RowField& row = memory_.rows[a];
  field = {};
  row = {};
  field.is_scratch = parameter.kind == ParameterKind::scratch;
  field.is_field = parameter.kind == ParameterKind::field;
  field.element = static_cast<Index>(size_of(parameter.type));
  if (!field.is_field || (shape_.is_reduction && a == 0)) return;
  const FieldBinding& binding = call_.fields[a];
  field.read = binding.read;
  field.write = binding.write;
  field.map = binding.map;
  field.middle = field.element * binding.stride[middle_];
  field.slow = field.element * binding.stride[slow_];
  row.middle = binding.stride[middle_];
  row.slow = binding.stride[slow_];
  row.to_middle = row.middle;
  row.to_slow = row.slow;
  row.component = binding.component_stride;
  for (Index c = 0; c < parameter.components; ++c) field.to.push_back(binding.component_offset(c));
  row.place = field.to.data();
  field.is_on_other_grid = !binding.map.is_identity();
  if (field.is_on_other_grid) row.first = call_.site.index[fast_];
}

/// Sets where the ends of the present rows are kept.
void RowWalk::bind_ends() {
  for (std::size_t a = 0; a < memory_.fields.size(); ++a) {
    Memory::Field& field = memory_.fields[a];
    device::RowField& row = memory_.rows[a];
    field.ends = nullptr;
    row.kept_low = std::numeric_limits<Index>::min();
    row.kept_high = std::numeric_limits<Index>::max();
    if (!call_.ends || call_.ends[a].component.empty()) continue;
    field.ends = &call_.ends[a];
    field.kept.resize(call_.ends[a].component.size());
    row.kept = field.kept.data();
    row.kept_middle = field.ends->stride[middle_];
    row.kept_slow = field.ends->stride[slow_];
    row.kept_low = field.ends->low_end;
    row.kept_high = field.ends->high_begin;
    row.kept_gap = field.ends->gap;
  }
}

void RowWalk::prepare_fetches(int planes) {
  memory_.ahead.clear();
  if (planes == 0 || evaluator_) return;
  if (!shape_.walks_groups &&
      std::none_of(call_.fields, call_.fields + shape_.inputs.size(),
                   [](const FieldBinding& field) { return field.from_memory; })) {
    return;
  }
  for (std::size_t a = 0; a < shape_.inputs.size(); ++a) {
    const Fetch fetch = shape_.inputs[a].fetch;
    if (fetch != Fetch::plane && fetch != Fetch::group) continue;
    const ParameterDescription& parameter = subject_.footprint.parameters[a];
    memory_.ahead.emplace_back(shape_, a, call_, size_of(parameter.type), parameter.components,
                               planes);
  }
}

void RowWalk::aim_at_fields() {
  for (std::size_t a = 0; a < memory_.fields.size(); ++a) {
    memory_.rows[a].to = memory_.fields[a].to.data();
  }
}

/// Returns the part of the box whose packs are stored whole. The evaluator does not store the kept
/// ends of rows.
Box RowWalk::whole_packs() const {
  Box box = call_.box;
  for (const Result& result : memory_.results) {
    box = intersection(box, call_.fields[result.argument].clip);
  }
  if (call_.mask || (evaluator_ && call_.ends)) box.upper[fast_] = box.lower[fast_];
  box.lower[fast_] = round_up(box.lower[fast_], width_);
  box.upper[fast_] = round_down(box.upper[fast_], width_);
  return box;
}

void RowWalk::run(const SweepCall& part, bool is_in_cache) {
  call_.box = part.box;
  call_.tile = part.tile;
  call_.reducer = part.reducer;
  call_.ends = part.ends;
  bind_ends();
  if (shape_.writes_in_place) {
    in_place();
  } else if (shape_.is_reduction) {
    reduce();
  } else if (is_in_cache && shape_.planes_in_cache > 1) {
    sweep(shape_.planes_in_cache, kernels_.in_cache);
  } else {
    sweep(shape_.planes, kernels_.rows);
  }
  if (call_.streaming) finish_streaming();
}

void RowWalk::run_level(const Box& box, const ScratchBinding& scratch) {
  call_.box = call_.tile = box;
  for (std::size_t a = 0; a < memory_.fields.size(); ++a) {
    Memory::Field& field = memory_.fields[a];
    if (!field.is_scratch) continue;
    field.read = field.write = scratch.memory;
    field.middle = field.element * scratch.stride[middle_];
    field.slow = field.element * scratch.stride[slow_];
    memory_.rows[a].middle = scratch.stride[middle_];
    memory_.rows[a].slow = scratch.stride[slow_];
    memory_.rows[a].to_middle = memory_.rows[a].middle;
    memory_.rows[a].to_slow = memory_.rows[a].slow;
    memory_.rows[a].component = scratch.component;
    memory_.rows[a].previous = scratch.previous;
    field.to.clear();
    const int components = subject_.footprint.parameters[a].components;
    for (Index c = 0; c < components; ++c) field.to.push_back(c * scratch.component);
    memory_.rows[a].to = field.to.data();
  }
  sweep(1, kernels_.one_row);
}

void RowWalk::sweep(int planes, device::RowFunction kernel) {
  prepare_fetches(kernel == kernels_.in_cache ? 0 : planes);
  const Index low = call_.box.lower[slow_], high = call_.box.upper[slow_];
  // All planes at once where nothing is to be told between them.
  const bool is_quiet = memory_.ahead.empty();
  const Index together = is_quiet ? high - low : shape_.walks_groups ? KernelShape::group : planes;
  row_.low = low_ = call_.box.lower[fast_];
  row_.high = high_ = call_.box.upper[fast_];
  const Box whole = whole_packs();
  const bool overlaps = may_overlap();
  Box part_of_planes = call_.box;
  for (Index s = low; s < high; s += together) {
    part_of_planes.lower[slow_] = s;
    part_of_planes.upper[slow_] = std::min(s + together, high);
    const Box inner = intersection(whole, part_of_planes);
    if (inner.empty()) {
      part(part_of_planes);
      continue;
    }
    walk(inner, planes, kernel);
    Box rest = part_of_planes;
    for (const std::size_t axis : {slow_, middle_, fast_}) {
      if (axis == fast_ && overlaps) {
        ends_of_rows(inner);
        break;
      }
      Box side = rest;
      side.upper[axis] = inner.lower[axis];
      part(side);
      side.upper[axis] = rest.upper[axis];
      side.lower[axis] = inner.upper[axis];
      part(side);
      rest.lower[axis] = inner.lower[axis];
      rest.upper[axis] = inner.upper[axis];
    }
  }
}

void RowWalk::start(Index middle, Index slow) {
  row_.middle = m_ = middle;
  row_.slow = s_ = slow;
  const auto order = static_cast<int>(middle_), last = static_cast<int>(slow_);
  for (std::size_t a = 0; a < memory_.fields.size(); ++a) {
    Memory::Field& field = memory_.fields[a];
    if (!field.read && !field.write) continue;
    device::RowField& row = memory_.rows[a];
    if (field.is_on_other_grid) {
      const Index3& first = call_.site.index;
      row.read = bytes_at(field.read + field.map(order, middle + first[middle_]) * field.middle +
                          field.map(last, slow + first[slow_]) * field.slow);
      continue;
    }
    const Index offset = middle * field.middle + slow * field.slow;
    row.read = bytes_at(field.read + offset);
    row.write = bytes_at(field.write + offset);
    if (shape_.inputs[a].fetch != Fetch::none) {
      std::fill_n(row.soon[0], shape_.shares(shape_.inputs[a]), row.read);
      row.later[0] = row.read;
    }
    if (!field.ends) continue;
    const auto& stride = field.ends->stride;
    const Index at = (middle * stride[middle_] + slow * stride[slow_]) * field.element;
    for (std::size_t c = 0; c < field.kept.size(); ++c) {
      std::byte* const kept = field.ends->component[c];
      field.kept[c] = kept ? bytes_at(kept + at) : nullptr;
    }
  }
}

/// Walks over whole packs of `planes` planes at a time.
void RowWalk::walk(const Box& whole, int planes, device::RowFunction kernel) {
  if (shape_.walks_groups && !evaluator_) return walk_group(whole);
  const Index together = round_down(whole.upper[slow_] - whole.lower[slow_], planes);
  Box box = whole;
  box.upper[slow_] = whole.lower[slow_] + together;
  if (together > 0) walk_rows(box, kernel);
  for (Index s = box.upper[slow_]; s < whole.upper[slow_]; ++s) {
    box.lower[slow_] = s;
    box.upper[slow_] = s + 1;
    walk_rows(box, kernels_.one_row);
  }
}

/// Walks row by row, through all planes together.
void RowWalk::walk_rows(const Box& whole, device::RowFunction kernel) {
  const Index planes = whole.upper[slow_] - whole.lower[slow_], slow = whole.lower[slow_];
  const Index first = whole.lower[fast_], last = whole.upper[fast_];
  if (shape_.reads_other_grids) {
    for (Index s = slow; s < slow + planes; ++s) {
      for (Index m = whole.lower[middle_]; m < whole.upper[middle_]; ++m) {
        start(m, s);
        kernel(&row_, first, last, 1, 1);
      }
    }
    return;
  }
  for (Index m = whole.lower[middle_]; m < whole.upper[middle_];) {
    start(m, slow);
    Index rows = whole.upper[middle_] - m;
    for (const RowsAhead& ahead : memory_.ahead) {
      rows = ahead.start(m, slow, rows, memory_.rows[ahead.argument()]);
    }
    kernel(&row_, first, last, rows, planes);
    m += rows;
  }
}

/// Walks through a piece of a row in all planes, then the same piece of the next row, so that what
/// the stencil reaches stays in the first-level cache.
void RowWalk::walk_group(const Box& whole) {
  const Index low = whole.lower[fast_], high = whole.upper[fast_], slow = whole.lower[slow_];
  const Index planes = whole.upper[slow_] - slow;
  for (Index x = round_down(low_, shape_.piece); x < high_; x += shape_.piece) {
    const Index first = std::max(x, low), last = std::min(x + shape_.piece, high);
    if (first >= last) continue;
    for (Index m = whole.lower[middle_]; m < whole.upper[middle_];) {
      start(m, slow);
      Index rows = whole.upper[middle_] - m;
      for (const RowsAhead& ahead : memory_.ahead) {
        rows =
            ahead.start_group(m, slow, planes, rows, first, last, memory_.rows[ahead.argument()]);
      }
      kernels_.rows(&row_, first, last, rows, planes);
      m += rows;
    }
  }
}

/// Computes the cells at both ends of rows with packs that overlap those stored already; what is
/// computed twice stays the same.
void RowWalk::ends_of_rows(const Box& whole) {
  const Index rows = whole.upper[middle_] - whole.lower[middle_];
  const Index planes = whole.upper[slow_] - whole.lower[slow_];
  const auto fetcher = std::exchange(row_.before_row, nullptr);
  const bool streams = std::exchange(row_.streaming, false);
  const auto pack = [&](Index first) {
    start(whole.lower[middle_], whole.lower[slow_]);
    kernels_.one_row(&row_, first, first + 1, rows, planes);
  };
  if (low_ < whole.lower[fast_]) pack(low_);
  if (whole.upper[fast_] < high_) pack(high_ - width_);
  row_.before_row = fetcher;
  row_.streaming = streams;
}

/// Returns whether packs may be computed twice and all cells of rows are stored.
bool RowWalk::may_overlap() const {
  const auto& parameters = subject_.footprint.parameters;
  const bool updates = std::any_of(parameters.begin(), parameters.end(), [](const auto& one) {
    return one.access == Access::inout || one.kind == ParameterKind::scratch;
  });
  if (updates || call_.mask || call_.ends || shape_.reads_other_grids || shape_.is_list ||
      shape_.walks_groups || high_ - low_ < width_) {
    return false;
  }
  return std::all_of(memory_.results.begin(), memory_.results.end(), [&](const Result& result) {
    const Box& clip = call_.fields[result.argument].clip;
    return clip.lower[fast_] <= low_ && clip.upper[fast_] >= high_;
  });
}

}  // namespace goban::cpu
