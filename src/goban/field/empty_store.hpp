#pragma once
// Fields without values, of grids that are only talked about.

#include <cstring>
#include <vector>

#include "goban/field/record.hpp"

namespace goban {

/// What is set is forgotten, what is asked for is 0. All else is that of Store, a FieldStore.
template <class Store>
class WithoutValues : public Store {
 public:
  using Store::Store;
  void fill(const FieldRecord&, const RowFunction&, const BoxFunction&) override {}
  void fill(const FieldRecord&, double) override {}
  void copy_out(const FieldRecord& field, const Box& box, void* elements) override {
    std::memset(elements, 0,
                static_cast<std::size_t>(box.volume() * field.components) * field.element_size());
  }
  void copy_out_own(const FieldRecord& field, const Box& box, void* elements) override {
    copy_out(field, box, elements);
  }
  void copy_in(const FieldRecord&, const Box&, const void*) override {}
  double sum(const FieldRecord&, int) override { return 0; }
  double minimum(const FieldRecord&, int) override { return 0; }
  double maximum(const FieldRecord&, int) override { return 0; }
  std::uint64_t checksum(const FieldRecord&) override { return 0; }
  std::vector<MemoryView> views(const FieldRecord&, ViewAccess) override { return {}; }
  void lend(const MemoryView&, void*) override {}
  void call_on_device(const std::vector<ViewedField>&, const DeviceFunction&) override {}
};

/// Nothing else either.
class EmptyStore : public WithoutValues<FieldStore> {
 public:
  void add_grids() override {}
  std::int64_t views_number() const override { return 0; }
};

}  // namespace goban
