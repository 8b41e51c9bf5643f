#pragma once
// What this copy of goban was built from and with; for banners, `--version` and run records.

#include <string_view>
#include <vector>

namespace goban {

struct BuildInfo {
  std::string_view version;     ///< "0.1.0"
  std::string_view commit;      ///< "38a3262f1b2c", "-dirty" appended; "unknown" without git
  std::string_view compiler;    ///< "GNU 12.2.0"
  std::string_view build_type;  ///< "Release"
  std::vector<std::string_view> features;  ///< optional parts that are in: "hdf5", "debug"
};

const BuildInfo& build_info();

}  // namespace goban
