#pragma once
// Vectors and matrices of three, for bodies. Text of kernels for all targets.

#include "goban/backend/kernels/types.hpp"

namespace goban::device {

GOBAN_DEVICE double root(double x) {
#ifdef __CUDACC_RTC__
  return sqrt(x);
#else
  return __builtin_sqrt(x);
#endif
}

struct Vector {
  double x[3];
  GOBAN_DEVICE double& operator[](int i) { return x[i]; }
  GOBAN_DEVICE double operator[](int i) const { return x[i]; }
};
struct Matrix {
  Vector row[3];
  GOBAN_DEVICE Vector& operator[](int i) { return row[i]; }
  GOBAN_DEVICE const Vector& operator[](int i) const { return row[i]; }
};

GOBAN_DEVICE Vector vector_of(const double (&x)[3]) { return {{x[0], x[1], x[2]}}; }

GOBAN_DEVICE double inner(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
GOBAN_DEVICE Vector cross(const Vector& a, const Vector& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
GOBAN_DEVICE Vector times(const Matrix& m, const Vector& v) {
  return {{inner(m[0], v), inner(m[1], v), inner(m[2], v)}};
}

/// Into the frame whose axes these are.
GOBAN_DEVICE Vector into(const double (&axes)[3][3], const Vector& v) {
  Vector r{};
  for (int a = 0; a < 3; ++a) r[a] = axes[a][0] * v[0] + axes[a][1] * v[1] + axes[a][2] * v[2];
  return r;
}
GOBAN_DEVICE Vector out_of(const double (&axes)[3][3], const Vector& v) {
  Vector r{};
  for (int i = 0; i < 3; ++i) r[i] = axes[0][i] * v[0] + axes[1][i] * v[1] + axes[2][i] * v[2];
  return r;
}

/// The inverse of a symmetric matrix; zeros where it is singular beside its trace.
GOBAN_DEVICE Matrix inverse_of(const Matrix& m) {
  constexpr double least = 1e-7;
  const double c00 = m[1][1] * m[2][2] - m[1][2] * m[1][2];
  const double c01 = m[0][2] * m[1][2] - m[0][1] * m[2][2];
  const double c02 = m[0][1] * m[1][2] - m[0][2] * m[1][1];
  const double det = m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02;
  const double mean = (m[0][0] + m[1][1] + m[2][2]) / 3;
  if (!(det > least * mean * mean * mean)) return {};
  const double c11 = m[0][0] * m[2][2] - m[0][2] * m[0][2];
  const double c12 = m[0][1] * m[0][2] - m[0][0] * m[1][2];
  const double c22 = m[0][0] * m[1][1] - m[0][1] * m[0][1];
  return {{{{c00 / det, c01 / det, c02 / det}},
           {{c01 / det, c11 / det, c12 / det}},
           {{c02 / det, c12 / det, c22 / det}}}};
}

}  // namespace goban::device
