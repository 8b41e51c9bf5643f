#pragma once
// Input images: what a medium is made of, cell by cell. They may be larger than memory.

#include <filesystem>
#include <memory>
#include <optional>

#include "goban/grid/blocks.hpp"
#include "goban/io/file/array_view.hpp"

namespace goban {

/// What an image is expected to be.
struct ImageExpectation {
  std::optional<Index3> extents = {};  ///< cells of the grid; needed for raw files
  /// Type of the values; if not said, uint8 in raw files, else as it comes.
  std::optional<ElementType> type = {};
};

/// An image that is read box by box; it holds one plane at most. Not for several threads at once.
class ImageSource {
 public:
  ImageSource(ElementType type, Index3 extents) : type_(type), extents_(extents) {}
  virtual ~ImageSource();

  ElementType type() const { return type_; }
  const Index3& extents() const { return extents_; }
  /// The values of a box of its cells, as stored. Error(files).
  virtual Array read(const Box& box) = 0;

 private:
  ElementType type_;
  Index3 extents_;
};

/// Opens a .png or .tif or a directory of them (plane_stack.hpp), a .npy (npy.hpp), a .nrrd or
/// .nhdr (nrrd.hpp), or any other file as raw values without a header: one after the other, x
/// fastest, little endian. Values stay the numbers they are, of the types of StoredType's
/// kept_as(); nothing is resampled, scaled or turned: Error(usage) if the image differs from what
/// is expected, with both sizes, before its values are read or unpacked. Error(files) if it cannot
/// be read, has several components, or, when they are read, values that are not finite.
std::shared_ptr<ImageSource> open_image(const std::filesystem::path& path,
                                        const ImageExpectation& expected = {});

/// A source of values in memory.
std::shared_ptr<ImageSource> image_in_memory(Array values);

/// The part of an image that is being looked at, for Field::fill:
///   ImageWindow window(image);
///   field.fill([&](Index3 cell) { return window.at(cell); }, window.prepare());
class ImageWindow {
 public:
  /// Without an image there is nothing to prepare and to look at.
  explicit ImageWindow(std::shared_ptr<ImageSource> image) : image_(std::move(image)) {}

  explicit operator bool() const { return image_ != nullptr; }
  /// Reads a box.
  void show(const Box& box);
  BoxFunction prepare();
  /// The value of a cell in the box that was read last; for several threads.
  double at(Index3 cell) const;

 private:
  std::shared_ptr<ImageSource> image_;
  Box box_;
  Array values_;
};

/// Sets a field to the values of an image, whose cells are those of the grid; wall faces beyond the
/// last cell get 0.
template <class FieldType>
void fill_from(FieldType& field, const std::shared_ptr<ImageSource>& image) {
  ImageWindow window(image);
  const Box cells{{0, 0, 0}, image->extents()};
  field.fill([&](Index3 at) { return cells.contains(at) ? window.at(at) : 0.0; },
             [&](const Box& box) {
               const Box shown = intersection(box, cells);
               if (!shown.empty()) window.show(shown);
             });
}

}  // namespace goban
