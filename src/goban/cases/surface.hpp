#pragma once
// Closed surfaces of STL files, where a case puts them.

#include <filesystem>
#include <memory>
#include <string>

#include "goban/io/case/file.hpp"
#include "goban/io/image/image_source.hpp"

namespace goban {

/// The keys `scale` and `shift` of a surface, after `prefix` ("solid.").
void declare_surface(CaseSchema& schema, const std::string& prefix = "");

/// What is inside of a surface, as an image of 0 and 1 as large as the grid.
struct Surface {
  std::shared_ptr<ImageSource> inside;
  std::string where;  ///< "from (0, 0, 0) to (1, 1, 1) m"
};

/// What a surface that covers no cell may lack.
extern const char* const surface_remedies;

/// Errors: the surface cannot be closed, or reaches no centre of a cell of the grid of `values`;
/// (files) it cannot be read.
Surface read_surface(const Case& row, const Case& values, const std::filesystem::path& file,
                     const std::string& prefix = "");

/// Error: scale or shift is given where there is no surface.
void refuse_surface_keys(const Case& row, const std::string& prefix = "");

/// "(0, 0.5, 1)"
std::string point_text(const Real3& point);

}  // namespace goban
