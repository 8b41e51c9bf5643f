#pragma once
// Arithmetic with points and directions.

#include <cmath>

#include "goban/base/types.hpp"

namespace goban::vectors {

/// A point of single precision.
inline Real3 point(const std::array<float, 3>& at) { return {at[0], at[1], at[2]}; }

inline Real3 operator+(const Real3& a, const Real3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Real3 operator-(const Real3& a, const Real3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Real3 operator*(double s, const Real3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Real3& a, const Real3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Real3 cross(const Real3& a, const Real3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const Real3& a) { return std::sqrt(dot(a, a)); }
/// The unit vector along a vector, which must not be 0.
inline Real3 direction(const Real3& a) { return 1 / norm(a) * a; }

}  // namespace goban::vectors
