#pragma once

#include "goban/base/types.hpp"

namespace goban {

/// What a plane of an image holds: one value a pixel, `extents` = {width, height, 1}.
struct PlaneLayout {
  ElementType type = ElementType::uint8;
  Index3 extents{};
  bool operator==(const PlaneLayout&) const = default;
};

}  // namespace goban
