#pragma once
// Surfaces for tests, and STL files of them.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <string_view>

#include "goban/io/image/stl.hpp"

namespace goban {

/// Twelve triangles, normals outwards.
inline TriangleMesh box_mesh(Corner low, Corner high) {
  const auto corner = [&](int n) {
    return Corner{n & 1 ? high[0] : low[0], n & 2 ? high[1] : low[1], n & 4 ? high[2] : low[2]};
  };
  constexpr int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                               {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  TriangleMesh mesh;
  for (const auto& f : faces) {
    mesh.triangles.push_back({corner(f[0]), corner(f[1]), corner(f[2])});
    mesh.triangles.push_back({corner(f[0]), corner(f[2]), corner(f[3])});
  }
  return mesh;
}

/// A surface over a grid of two angles; `place(u, v)` for integers u, v gives equal corners where
/// the surface closes.
inline TriangleMesh patch_mesh(int across, int around,
                               const std::function<Corner(int, int)>& place) {
  TriangleMesh mesh;
  for (int u = 0; u < across; ++u)
    for (int v = 0; v < around; ++v) {
      const Corner a = place(u, v), b = place(u + 1, v), c = place(u + 1, v + 1),
                   d = place(u, v + 1);
      if (a != b && b != c && a != c) mesh.triangles.push_back({a, b, c});
      if (a != c && c != d && a != d) mesh.triangles.push_back({a, c, d});
    }
  return mesh;
}

inline TriangleMesh sphere_mesh(Corner center, float radius, int pieces) {
  return patch_mesh(pieces, 2 * pieces, [=](int u, int v) {
    const double theta = std::numbers::pi * u / pieces;
    const double phi = std::numbers::pi * (v % (2 * pieces)) / pieces;
    const double ring = u == 0 || u == pieces ? 0 : std::sin(theta);
    return Corner{center[0] + static_cast<float>(radius * ring * std::cos(phi)),
                  center[1] + static_cast<float>(radius * ring * std::sin(phi)),
                  center[2] + static_cast<float>(radius * std::cos(theta))};
  });
}

inline TriangleMesh torus_mesh(Corner center, float radius, float thickness, int pieces) {
  return patch_mesh(pieces, pieces, [=](int u, int v) {
    const double phi = 2 * std::numbers::pi * (u % pieces) / pieces;
    const double psi = 2 * std::numbers::pi * (v % pieces) / pieces;
    const double ring = radius + thickness * std::cos(psi);
    return Corner{center[0] + static_cast<float>(ring * std::cos(phi)),
                  center[1] + static_cast<float>(ring * std::sin(phi)),
                  center[2] + static_cast<float>(thickness * std::sin(psi))};
  });
}

inline std::string binary_stl(const TriangleMesh& mesh, std::string_view header = "test") {
  std::string file(80, '\0');
  header.copy(file.data(), 80);
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  file.append(reinterpret_cast<const char*>(&count), 4);
  for (const Triangle& triangle : mesh.triangles) {
    file.append(12, '\0');
    file.append(reinterpret_cast<const char*>(&triangle), sizeof triangle);
    file.append(2, '\0');
  }
  return file;
}

inline std::string ascii_stl(const TriangleMesh& mesh) {
  std::string file = "solid test\n";
  for (const Triangle& triangle : mesh.triangles) {
    file += "  facet normal 0 0 0\n    outer loop\n";
    for (const Corner& c : triangle) {
      char line[120];
      std::snprintf(line, sizeof line, "      vertex %.9g %.9g %.9g\n", double{c[0]}, double{c[1]},
                    double{c[2]});
      file += line;
    }
    file += "    endloop\n  endfacet\n";
  }
  return file + "endsolid test\n";
}

}  // namespace goban
