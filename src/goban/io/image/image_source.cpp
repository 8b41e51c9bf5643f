#include "goban/io/image/image_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

#include "goban/base/error.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/io/image/nrrd.hpp"
#include "goban/io/image/plane_stack.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

/// Values somewhere in a file, without gaps, the axes in any order.
class FileImage : public ImageSource {
 public:
  FileImage(InputFile file, Index begin, StoredType stored, Index3 extents, Index3 strides)
      : ImageSource(kept_as(stored), extents),
        file_(std::move(file)),
        begin_(begin),
        stored_(stored),
        strides_(strides) {
    // An axis of one cell may lie anywhere.
    const auto key = [&](int axis) {
      return std::pair(extents[axis] == 1 && axis != 0, strides[axis]);
    };
    std::ranges::sort(order_, {}, key);
  }

  Array read(const Box& box) override {
    Array values(type(), box.extents());
    const auto [fast, middle, slow] = order_;
    // A run is as much of a plane as lies together.
    const bool has_whole_rows = box.extent(fast) == extents()[fast];
    Box run = box;
    std::vector<std::byte> bytes, kept;
    for (Index k = box.lower[slow]; k < box.upper[slow]; ++k) {
      run.lower[slow] = k;
      run.upper[slow] = k + 1;
      const Index rows = has_whole_rows ? box.extent(middle) : 1;
      for (Index j = box.lower[middle]; j < box.upper[middle]; j += rows) {
        run.lower[middle] = j;
        run.upper[middle] = j + rows;
        bytes.resize(static_cast<std::size_t>(run.volume() * stored_.bytes));
        kept.resize(static_cast<std::size_t>(run.volume()) * size_of(type()));
        file_.read(begin_ + offset(run.lower) * stored_.bytes, bytes.data(),
                   static_cast<Index>(bytes.size()));
        convert_stored(stored_, bytes, kept, file_.path().string());
        require_finite(run, kept.data());
        place(run, kept.data(), box, values);
      }
    }
    return values;
  }

 private:
  Index offset(Index3 cell) const {
    return cell[0] * strides_[0] + cell[1] * strides_[1] + cell[2] * strides_[2];
  }
  void place(const Box& run, const std::byte* bytes, const Box& box, Array& values) const {
    const Index3 n = box.extents(), at = run.lower - box.lower;
    ArrayView view{.type = type(), .extents = run.extents(), .data = bytes, .name = {}};
    Index stride = 1;
    for (const int axis : order_) {
      view.strides[static_cast<std::size_t>(axis)] = stride;
      stride *= run.extent(axis);
    }
    const Index first = at[0] + n[0] * (at[1] + n[1] * at[2]);
    copy_elements(view, {.type = type(),
                         .data = values.bytes.data() + first * static_cast<Index>(size_of(type())),
                         .strides = {1, n[0], n[0] * n[1]},
                         .component_stride = 0});
  }

  /// No computation begins from NaN or infinity.
  void require_finite(const Box& run, const std::byte* values) const {
    if (stored_.kind != StoredType::Kind::real) return;
    visit_element(type(), [&]<class T>(T) {
      const T* const all = reinterpret_cast<const T*>(values);
      for (Index n = 0; n < run.volume(); ++n) {
        const auto value = static_cast<double>(static_cast<ArithmeticOf<T>>(all[n]));
        if (std::isfinite(value)) continue;
        Index3 cell = run.lower;
        cell[order_[0]] += n % run.extent(order_[0]);
        cell[order_[1]] += n / run.extent(order_[0]);
        throw_unreadable(file_.path(), fmt::format("cell {} {} {} of the image is {}", cell[0],
                                                   cell[1], cell[2], value));
      }
    });
  }

  InputFile file_;
  Index begin_;
  StoredType stored_;
  Index3 strides_;
  std::array<int, 3> order_{0, 1, 2};  ///< the axes in the order of the file, fastest first
};

class MemoryImage : public ImageSource {
 public:
  explicit MemoryImage(Array values)
      : ImageSource(values.type, values.extents), values_(std::move(values)) {}
  Array read(const Box& box) override {
    return copy_of(box_of(values_.view(), box.lower, box.extents()));
  }

 private:
  Array values_;
};

std::shared_ptr<ImageSource> open_npy(const fs::path& path) {
  InputFile file(path);
  const NpyLayout layout = read_npy_layout(file);
  if (layout.components != 1)
    throw Error(ExitCode::files, fmt::format("cannot read {}", path.string()),
                fmt::format("it has {} components", layout.components),
                "an image has one value a cell");
  return std::make_shared<FileImage>(std::move(file), layout.begin, layout.stored, layout.extents,
                                     layout.strides);
}

/// As files of goban's own have it.
StoredType stored_as(ElementType type) {
  using Kind = StoredType::Kind;
  const bool is_real = type != ElementType::uint8 && type != ElementType::int32;
  return {.kind = is_real                      ? Kind::real
                  : type == ElementType::int32 ? Kind::integer
                                               : Kind::natural,
          .bytes = static_cast<int>(size_of(type))};
}

std::shared_ptr<ImageSource> open_dense(const fs::path& path, Index begin, StoredType stored,
                                        Index3 n) {
  return std::make_shared<FileImage>(InputFile(path), begin, stored, n,
                                     Index3{1, n[0], n[0] * n[1]});
}

std::shared_ptr<ImageSource> open_raw(const fs::path& path, const ImageExpectation& expected) {
  require(expected.extents.has_value(),
          fmt::format("the extents of {} are not known", path.string()),
          "a raw image has no header", "give them in the case, or convert the image to .npy");
  const Index3 n = *expected.extents;
  const ElementType type = expected.type.value_or(ElementType::uint8);
  const Index size = size_of_file(path), needed = byte_count(type, n, 1);
  require(size == needed, fmt::format("image {} does not fit", path.string()),
          fmt::format("{} cells of {} are {} bytes, the file has {}", text_of(n), name_of(type),
                      needed, size),
          "check the extents and the element type; images are not resampled");
  return open_dense(path, 0, stored_as(type), n);
}

std::shared_ptr<ImageSource> open_any(const fs::path& path, const ImageExpectation& expected) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return open_plane_stack(plane_files_in(path));
  if (is_plane_file(path)) return open_plane_stack({path});
  if (path.extension() == ".npy") return open_npy(path);
  if (path.extension() == ".nrrd" || path.extension() == ".nhdr") {
    const NrrdLayout layout = read_nrrd_layout(path);
    return open_dense(layout.data, layout.begin, layout.stored, layout.extents);
  }
  return open_raw(path, expected);
}

}  // namespace

ImageSource::~ImageSource() = default;

std::shared_ptr<ImageSource> open_image(const fs::path& path, const ImageExpectation& expected) {
  auto image = open_any(path, expected);
  if (expected.extents)
    require(image->extents() == *expected.extents,
            fmt::format("image {} does not fit", path.string()),
            fmt::format("it has {} cells, the grid {}", text_of(image->extents()),
                        text_of(*expected.extents)),
            "make them equal; images are not resampled");
  if (expected.type)
    require(image->type() == *expected.type,
            fmt::format("image {} holds {}, not {}", path.string(), name_of(image->type()),
                        name_of(*expected.type)),
            {}, "convert it, or leave the type out of the case");
  return image;
}

std::shared_ptr<ImageSource> image_in_memory(Array values) {
  return std::make_shared<MemoryImage>(std::move(values));
}

void ImageWindow::show(const Box& box) {
  values_ = image_->read(box);
  box_ = box;
}

BoxFunction ImageWindow::prepare() {
  if (!image_) return nullptr;
  return [this](const Box& box) { show(box); };
}

double ImageWindow::at(Index3 cell) const {
  const Index3 i = cell - box_.lower;
  const Index at = i[0] + box_.extent(0) * (i[1] + box_.extent(1) * i[2]);
  return visit_element(values_.type, [&]<class T>(T) {
    const T value = reinterpret_cast<const T*>(values_.bytes.data())[at];
    return static_cast<double>(static_cast<ArithmeticOf<T>>(value));
  });
}

}  // namespace goban
