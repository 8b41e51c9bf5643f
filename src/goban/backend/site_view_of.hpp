#pragma once
// Converts the place and time of a sweep to the form in which kernels of all targets get them.

#include "goban/backend/kernels/site_view.hpp"
#include "goban/stencil/site.hpp"

namespace goban {

inline device::SiteView view_of(const SiteInfo& site) {
  device::SiteView v{};
  for (std::size_t a = 0; a < 3; ++a) {
    v.index[a] = site.index[a];
    v.extents[a] = site.extents[a];
    v.origin[a] = site.origin[a];
    v.spacing[a] = site.spacing[a];
    v.offset[a] = site.offset[a];
    v.periodic[a] = site.periodic[a] ? 1 : 0;
  }
  v.step = site.step;
  v.time = site.time;
  v.now = site.now;
  v.seed = site.seed;
  return v;
}

}  // namespace goban
