// Memory of fields that libraries of Python work on where it lies, also by DLPack.

#include <array>
#include <vector>

#include "calls.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/program/program.hpp"

namespace {

using namespace goban;
using namespace goban::python;

/// Views of a field's patches, or of one of them.
struct ViewsHandle {
  std::shared_ptr<GridState> grid;
  std::vector<MemoryView> views;
  std::int64_t number = 0;  ///< number of the store, while they are valid

  ViewsHandle(std::shared_ptr<GridState> of, std::vector<MemoryView> all)
      : grid(std::move(of)), views(std::move(all)), number(grid->storage().views_number()) {}
  const MemoryView& operator[](std::int64_t n) const {
    return views.at(static_cast<std::size_t>(n));
  }
};

/// The structures of DLPack 1.0, whose layout is its interface.
namespace dlpack {
struct Device {
  std::int32_t type, number;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t axes;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct ManagedVersioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};
constexpr std::int32_t on_cpu = 1, on_cuda = 2;
constexpr std::uint64_t is_read_only = 1;

/// A tensor of either kind and what it refers to.
template <class Kind>
struct Shared {
  Kind managed{};
  std::array<std::int64_t, 4> shape{}, strides{};
  std::shared_ptr<const void> memory;
};

DataType type_of(ElementType type) {
  const auto bits = static_cast<std::uint8_t>(8 * size_of(type));
  constexpr std::uint8_t signed_code = 0, unsigned_code = 1, real_code = 2;
  const std::uint8_t code = type == ElementType::int32   ? signed_code
                            : type == ElementType::uint8 ? unsigned_code
                                                         : real_code;
  return {code, bits, 1};
}

template <class Kind>
Shared<Kind>* share(const MemoryView& view, std::int64_t axes, const std::int64_t* shape,
                    const std::int64_t* strides) {
  auto* const made = new Shared<Kind>;
  std::copy_n(shape, axes, made->shape.begin());
  std::copy_n(strides, axes, made->strides.begin());
  made->memory = view.memory;
  const bool is_on_host = view.gpu == MemoryView::host;
  made->managed.tensor = {view.data,
                          {is_on_host ? on_cpu : on_cuda, is_on_host ? 0 : view.gpu},
                          static_cast<std::int32_t>(axes),
                          type_of(view.type),
                          made->shape.data(),
                          made->strides.data(),
                          0};
  made->managed.context = made;
  made->managed.deleter = [](Kind* managed) {
    delete static_cast<Shared<Kind>*>(managed->context);
  };
  return made;
}

using IsValid = int (*)(void* capsule, const char* name);
using GetPointer = void* (*)(void* capsule, const char* name);
IsValid is_valid = nullptr;  ///< PyCapsule_IsValid
GetPointer pointer_of = nullptr;

constexpr const char* name = "dltensor";
constexpr const char* versioned_name = "dltensor_versioned";

/// Whoever takes a tensor out of its capsule gives that another name.
template <class Kind>
void end_unused(void* capsule, const char* unused) {
  if (!is_valid(capsule, unused)) return;
  auto* const managed = static_cast<Kind*>(pointer_of(capsule, unused));
  managed->deleter(managed);
}
void end_capsule(void* capsule) {
  end_unused<Managed>(capsule, name);
  end_unused<ManagedVersioned>(capsule, versioned_name);
}

}  // namespace dlpack

std::vector<ViewedField> viewed(ViewAccess access, const FieldHandle* const* fields,
                                std::int64_t count) {
  std::vector<ViewedField> all;
  for (std::int64_t n = 0; n < count; ++n) all.push_back({fields[n]->record, access});
  return all;
}

}  // namespace

/// Makes views of all patches of this rank; `is_written`: see ViewAccess.
GOBAN_PYTHON_CALL int goban_python_field_views(const FieldHandle* field, std::int64_t is_written,
                                               ViewsHandle** made) {
  return guarded([&] {
    const ViewAccess access = is_written != 0 ? ViewAccess::write : ViewAccess::read;
    *made = new ViewsHandle(field->grid, field->store().views(*field->record, access));
  });
}
GOBAN_PYTHON_CALL void goban_python_views_delete(ViewsHandle* views) { delete views; }
GOBAN_PYTHON_CALL int goban_python_views_count(const ViewsHandle* views, std::int64_t* count) {
  return guarded([&] { *count = std::ssize(views->views); });
}
/// Lower and upper ends; the address; strides in elements, that of components last; the GPU, -1:
/// none; its stream.
GOBAN_PYTHON_CALL int goban_python_views_patch(const ViewsHandle* views, std::int64_t n,
                                               std::int64_t* made) {
  return guarded([&] {
    const MemoryView& view = (*views)[n];
    for (std::size_t a = 0; a < 3; ++a) {
      made[a] = view.box.lower[a];
      made[3 + a] = view.box.upper[a];
      made[7 + a] = view.stride[a];
    }
    made[6] = reinterpret_cast<std::int64_t>(view.data);
    made[10] = view.component_stride;
    made[11] = view.gpu;
    made[12] = reinterpret_cast<std::int64_t>(view.stream);
  });
}
GOBAN_PYTHON_CALL int goban_python_views_are_valid(const ViewsHandle* views, std::int64_t* valid) {
  return guarded([&] { *valid = views->number == views->grid->storage().views_number() ? 1 : 0; });
}
/// See FieldStore::lend; stream 0: none that is known.
GOBAN_PYTHON_CALL int goban_python_views_lend(const ViewsHandle* views, std::int64_t n,
                                              std::int64_t stream) {
  return guarded(
      [&] { views->grid->storage().lend((*views)[n], reinterpret_cast<void*>(stream)); });
}

/// Functions of Python that capsules need: PyCapsule_IsValid, PyCapsule_GetPointer.
GOBAN_PYTHON_CALL int goban_python_capsules(void* is_valid, void* get_pointer) {
  return guarded([&] {
    dlpack::is_valid = reinterpret_cast<dlpack::IsValid>(is_valid);
    dlpack::pointer_of = reinterpret_cast<dlpack::GetPointer>(get_pointer);
  });
}
/// A structure of DLPack 1 or, `is_versioned` being 0, of those before, which know no arrays that
/// must not be written. What PyCapsule_New takes: the structure, its name, and what ends a capsule
/// that nobody has taken.
GOBAN_PYTHON_CALL int goban_python_views_dlpack(const ViewsHandle* views, std::int64_t n,
                                                std::int64_t axes, const std::int64_t* shape,
                                                const std::int64_t* strides,
                                                std::int64_t is_versioned, std::int64_t is_written,
                                                void** made) {
  return guarded([&] {
    const MemoryView& view = (*views)[n];
    if (is_versioned == 0) {
      made[0] = &dlpack::share<dlpack::Managed>(view, axes, shape, strides)->managed;
    } else {
      auto* const shared = dlpack::share<dlpack::ManagedVersioned>(view, axes, shape, strides);
      shared->managed.major = 1;
      shared->managed.flags = is_written != 0 ? 0 : dlpack::is_read_only;
      made[0] = &shared->managed;
    }
    made[1] = const_cast<char*>(is_versioned != 0 ? dlpack::versioned_name : dlpack::name);
    made[2] = reinterpret_cast<void*>(&dlpack::end_capsule);
  });
}

/// The function gets views that it is to delete, one of each field.
GOBAN_PYTHON_CALL int goban_python_program_call_on_device(
    Program* program, std::int64_t (*function)(void* const* views), const FieldHandle* const* reads,
    std::int64_t read_count, const FieldHandle* const* writes, std::int64_t write_count) {
  return guarded([&] {
    auto fields = viewed(ViewAccess::read, reads, read_count);
    const auto written = viewed(ViewAccess::write, writes, write_count);
    fields.insert(fields.end(), written.begin(), written.end());
    const auto grid = (read_count > 0 ? reads : writes)[0]->grid;
    program->call_on_device(grid, std::move(fields),
                            [function, grid](std::span<const MemoryView> all) {
                              std::vector<void*> made;
                              for (const MemoryView& view : all)
                                made.push_back(new ViewsHandle(grid, {view}));
                              require_success(function(made.data()));
                            });
  });
}

/// Has the field lie in memory of the script: the address of its first value; strides as above; the
/// first byte around it that it may use, and that behind the last; the GPU, -1: none.
GOBAN_PYTHON_CALL int goban_python_field_place(const FieldHandle* field,
                                               const std::int64_t* numbers) {
  return guarded([&] {
    auto* const domain = dynamic_cast<Domain*>(&field->store());
    if (!domain) return;  // on paper
    const auto bytes = [](std::int64_t address) { return reinterpret_cast<std::byte*>(address); };
    domain->place(*field->record, {.cells = bytes(numbers[0]),
                                   .stride = index3(numbers + 1),
                                   .component_stride = numbers[4],
                                   .begin = bytes(numbers[5]),
                                   .end = bytes(numbers[6]),
                                   .gpu = static_cast<int>(numbers[7])});
  });
}
