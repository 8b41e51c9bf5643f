// Pictures of fields that notebooks show.

#include "calls.hpp"
#include "goban/io/picture/slice_picture.hpp"

/// The middle plane across an axis as the bytes of a PNG file, which are there until this thread
/// calls again.
GOBAN_PYTHON_CALL int goban_python_field_picture(const goban::python::FieldHandle* field,
                                                 std::int64_t axis, const char** bytes,
                                                 std::int64_t* count) {
  using namespace goban;
  static thread_local std::string picture;
  return python::guarded([&] {
    const FieldRecord& record = *field->record;
    const GridState& grid = *field->grid;
    Box box = grid.box(record.location);
    const auto across = static_cast<std::size_t>(axis);
    box.lower[across] += box.extent(static_cast<int>(axis)) / 2;
    box.upper[across] = box.lower[across] + 1;
    Array plane(record.type, box.extents(), record.components, record.name);
    copy_out(*field->grid, record, box, plane.bytes.data());
    SlicePictureOptions options;
    options.origin = grid.origin;
    options.spacing = grid.spacing;
    picture = slice_picture(plane.view(), options, PictureFormat::png);
    *bytes = picture.data();
    *count = std::ssize(picture);
  });
}
