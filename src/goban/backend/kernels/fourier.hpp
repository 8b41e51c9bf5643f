#pragma once
// Poisson's equation by Fourier transforms along x and y, in the memory of one executor. Text of
// kernels for all targets.
//
//   load_cell      puts f where a complex transform makes waves between walls of it
//                  (transforms of pairs of planes by a library)
//   solve_columns  separates the waves, solves a tridiagonal system along z for each, and joins
//                  them again
//                  (transforms back)
//   store_cell     takes u from there
//
// The planes 2m and 2m + 1 are the real and the imaginary parts of a complex plane. Cosines and
// sines are those of J. Makhoul, IEEE Trans. ASSP 28 (1980) 27: even cells come first, odd ones
// follow from the last to the first, and each wave is turned by a fraction of a cell. For waves
// that are 0 at one end only, the transform is taken half a wave beside its own ones.

#include "goban/backend/kernels/types.hpp"

/// Loops over arrays that GPUs keep in registers.
#ifdef __CUDACC_RTC__
#define GOBAN_UNROLL _Pragma("unroll")
#else
#define GOBAN_UNROLL
#endif

namespace goban::device {

template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};
using Wave = Complex<double>;

GOBAN_DEVICE Wave operator+(const Wave& a, const Wave& b) { return {a.re + b.re, a.im + b.im}; }
GOBAN_DEVICE Wave operator-(const Wave& a, const Wave& b) { return {a.re - b.re, a.im - b.im}; }
GOBAN_DEVICE Wave operator*(const Wave& a, const Wave& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
GOBAN_DEVICE Wave operator*(double a, const Wave& b) { return {a * b.re, a * b.im}; }
GOBAN_DEVICE Wave conjugate(const Wave& a) { return {a.re, -a.im}; }
/// Returns i a.
GOBAN_DEVICE Wave quarter_turn(const Wave& a) { return {-a.im, a.re}; }

/// The waves along an axis that is transformed. The transform of real values at wave `partner - k`
/// is the conjugate of that at wave k, so that the two hold two real waves.
struct WaveAxis {
  int32 cells;
  int32 sum;            ///< a wave and its partner add up to this, modulo `cells`
  int32 pairs;          ///< waves 0 ... pairs - 1 and their partners are all
  const int32* place;   ///< per cell: where it stands when it is transformed
  const Wave* factor;   ///< per cell: what it is multiplied by before, of magnitude 1
  const Wave* turn;     ///< per pair: what turns its transform into two real waves, -i the second
  const double* waves;  ///< per pair: second differences of the two, over those along z
  const double* twin;   ///< per pair, if a wave is its own partner: the second real wave, over the
                        ///< first
  double low, high;     ///< what the sides add to div grad u of the cells beside them

  GOBAN_DEVICE int32 partner(int32 k) const {
    const int32 other = sum - k;
    return other < cells ? other : other - cells;
  }
  GOBAN_DEVICE double beside(int32 cell) const {
    return (cell == 0 ? low : 0) + (cell == cells - 1 ? high : 0);
  }
};

/// All that a solution needs. Everything that is pointed to lies in the memory of the executor.
struct FourierSolve {
  WaveAxis x, y;
  int32 levels;         ///< cells along z
  double low, high;     ///< what the sides of z add to div grad u
  double below, above;  ///< what they add to the diagonal of a column, whose other entries are 1
  bool is_periodic;     ///< along z
  bool is_singular;     ///< no side holds a value: the mean of f is taken off, that of u is 0
  double scale;         ///< what f is multiplied by
  const void* f;        ///< the first cell
  void* u;
  Index f_stride[3], u_stride[3];  ///< elements
  void* values;                    ///< complex, x fastest, then y, then pairs of planes
  double* starts;  ///< fourier_starts() numbers, where columns are taken up on the way back
  double* mean;    ///< of the wave that is constant along x and y, where nothing holds it

  GOBAN_DEVICE Index plane() const { return static_cast<Index>(x.cells) * y.cells; }
  GOBAN_DEVICE int32 pairs() const { return (levels + 1) / 2; }
  GOBAN_DEVICE Index columns() const { return static_cast<Index>(x.pairs) * y.pairs; }
  template <class T>
  GOBAN_DEVICE Complex<T>* at(int32 i, int32 j, int32 pair) const {
    return static_cast<Complex<T>*>(values) + pair * plane() + static_cast<Index>(j) * x.cells + i;
  }
};

/// Pairs of planes after which the elimination of columns notes where it is.
inline constexpr int32 pairs_per_start = 2;

/// Returns how many numbers `starts` has.
GOBAN_DEVICE Index fourier_starts(const FourierSolve& solve) {
  const Index blocks = (solve.pairs() + pairs_per_start - 1) / pairs_per_start;
  return blocks * solve.columns() * (solve.is_periodic ? 8 : 4);
}

/// Takes f at two cells, one above the other.
template <class T>
GOBAN_DEVICE void load_cell(const FourierSolve& solve, int32 i, int32 j, int32 pair) {
  const T* const f = static_cast<const T*>(solve.f) + i * solve.f_stride[0] +
                     j * solve.f_stride[1] + 2 * pair * solve.f_stride[2];
  const double beside = solve.x.beside(i) + solve.y.beside(j);
  const auto value = [&](int32 k) {
    if (k >= solve.levels) return 0.0;
    const double ends = (k == 0 ? solve.low : 0) + (k == solve.levels - 1 ? solve.high : 0);
    return solve.scale *
           (static_cast<double>(f[(k - 2 * pair) * solve.f_stride[2]]) - beside - ends);
  };
  const Wave planes{value(2 * pair), value(2 * pair + 1)};
  const Wave moved = planes * (solve.x.factor[i] * solve.y.factor[j]);
  *solve.at<T>(solve.x.place[i], solve.y.place[j], pair) = {static_cast<T>(moved.re),
                                                            static_cast<T>(moved.im)};
}

/// Sets u at two cells, one above the other.
template <class T>
GOBAN_DEVICE void store_cell(const FourierSolve& solve, int32 i, int32 j, int32 pair) {
  T* const u = static_cast<T*>(solve.u) + i * solve.u_stride[0] + j * solve.u_stride[1] +
               2 * pair * solve.u_stride[2];
  const Complex<T> moved = *solve.at<T>(solve.x.place[i], solve.y.place[j], pair);
  const Wave planes = Wave{static_cast<double>(moved.re), static_cast<double>(moved.im)} *
                      conjugate(solve.x.factor[i] * solve.y.factor[j]);
  const double mean = solve.is_singular ? *solve.mean : 0;
  u[0] = static_cast<T>(planes.re - mean);
  if (2 * pair + 1 < solve.levels) u[solve.u_stride[2]] = static_cast<T>(planes.im - mean);
}

/// Returns the part of the wave that is constant along x and y, in two planes.
template <class T>
GOBAN_DEVICE double constant_wave(const FourierSolve& solve, int32 pair) {
  const Complex<T> sum = *solve.at<T>(0, 0, pair);
  return static_cast<double>(sum.re) + static_cast<double>(sum.im);
}

/// Four columns that the transforms at a wave along x and y, and at its partners, hold, and their
/// places: (k, l), (partner of k, l), (k, partner of l), (partner of k, partner of l).
struct FourColumns {
  int32 place[4];  ///< in a plane
  Wave turn_x, turn_y;
  bool is_own_x, is_own_y;  ///< the wave is its own partner
  double twin_x, twin_y;
  double diagonal[4];

  GOBAN_DEVICE FourColumns(const FourierSolve& solve, int32 k, int32 l) {
    const WaveAxis &x = solve.x, &y = solve.y;
    const int32 i[2] = {k, x.partner(k)}, j[2] = {l, y.partner(l)};
    for (int n = 0; n < 4; ++n) {
      place[n] = j[n / 2] * x.cells + i[n % 2];
      diagonal[n] = -2 + x.waves[2 * k + n % 2] + y.waves[2 * l + n / 2];
    }
    turn_x = x.turn[k];
    turn_y = y.turn[l];
    is_own_x = i[0] == i[1];
    is_own_y = j[0] == j[1];
    twin_x = x.twin[k];
    twin_y = y.twin[l];
  }

  /// Makes the real waves of one plane from its transform at (k, l) and at (k, partner of l).
  GOBAN_DEVICE void to_waves(const Wave& at, const Wave& beside, double (&wave)[4]) const {
    const Wave one = turn_x * at, other = conjugate(turn_x * beside);
    const Wave first = turn_y * (0.5 * (one + other));
    const Wave second = turn_y * quarter_turn(0.5 * (one - other));
    wave[0] = first.re;
    wave[1] = second.re;
    wave[2] = -first.im;
    wave[3] = -second.im;
  }
  GOBAN_DEVICE void from_waves(const double (&wave)[4], Wave& at, Wave& beside) const {
    const Wave first = conjugate(turn_y) * Wave{wave[0], -wave[2]};
    const Wave second = quarter_turn(conjugate(turn_y) * Wave{wave[1], -wave[3]});
    at = conjugate(turn_x) * (first - second);
    beside = conjugate(turn_x) * conjugate(first + second);
  }
  /// The same of the two planes of a pair, whose transforms at the four places are `z`.
  GOBAN_DEVICE void to_waves(const Wave (&z)[4], double (&low)[4], double (&high)[4]) const {
    const Wave far = conjugate(z[3]), near = conjugate(z[1]);
    to_waves(0.5 * (z[0] + far), 0.5 * (z[2] + near), low);
    to_waves(-0.5 * quarter_turn(z[0] - far), -0.5 * quarter_turn(z[2] - near), high);
  }
  GOBAN_DEVICE void from_waves(const double (&low)[4], const double (&high)[4],
                               Wave (&z)[4]) const {
    Wave at[2], beside[2];
    from_waves(low, at[0], beside[0]);
    from_waves(high, at[1], beside[1]);
    z[0] = at[0] + quarter_turn(at[1]);
    z[2] = beside[0] + quarter_turn(beside[1]);
    z[1] = conjugate(beside[0]) + quarter_turn(conjugate(beside[1]));
    z[3] = conjugate(at[0]) + quarter_turn(conjugate(at[1]));
  }
  /// Where places are the same, they hold the number of the first one.
  GOBAN_DEVICE void restore_twins(double (&wave)[4]) const {
    if (is_own_x) {
      wave[1] = twin_x * wave[0];
      wave[3] = twin_x * wave[2];
    }
    if (is_own_y) {
      wave[2] = twin_y * wave[0];
      wave[3] = twin_y * wave[1];
    }
  }

  template <class T>
  GOBAN_DEVICE void read(const Complex<T>* plane, Wave (&z)[4]) const {
    GOBAN_UNROLL for (int n = 0; n < 4; ++n) {
      const Complex<T> value = plane[place[n]];
      z[n] = {static_cast<double>(value.re), static_cast<double>(value.im)};
    }
  }
  /// The first place is written last.
  template <class T>
  GOBAN_DEVICE void write(Complex<T>* plane, const Wave (&z)[4]) const {
    GOBAN_UNROLL for (int n = 3; n >= 0; --n) {
      plane[place[n]] = {static_cast<T>(z[n].re), static_cast<T>(z[n].im)};
    }
  }
};

/// The elimination of one column upwards, u(k - 1) + (diagonal + ends) u(k) + u(k + 1) = v(k):
/// u(k) = d - c u(k + 1), by L. H. Thomas; along a periodic axis u(k) = d - c u(k + 1) + p(k + 1) X
/// with X = u(-1), the value of the last cell.
template <bool is_periodic>
struct Elimination {
  double c = 0, d = 0;
  double p = 1, known = 0, share = 0;  ///< u(0) = known + (share + p) X

  GOBAN_DEVICE void advance(double diagonal) {
    c = 1 / (diagonal - c);
    if constexpr (is_periodic) p = -p * c;
  }
  /// Returns d of the next cell.
  GOBAN_DEVICE double take(double diagonal, double v) {
    const double before = p;
    advance(diagonal);
    d = (v - d) * c;
    if constexpr (is_periodic) {
      known += before * d;
      share += before * p;
    }
    return d;
  }
  /// Returns X, if the last cell is the next one.
  GOBAN_DEVICE double close(double diagonal, double v) const {
    return (v - d - known) / (diagonal - c + 2 * p + share);
  }
};

/// The columns of a wave along x, one along y, and their partners, solved in place: upwards, then
/// downwards, some pairs of planes at a time. What the elimination has found out about the system
/// is noted before each of these blocks, and found again from there on the way down.
template <class T, bool is_periodic>
class ColumnSweeps {
 public:
  GOBAN_DEVICE ColumnSweeps(const FourierSolve& solve, int32 k, int32 l)
      : columns_(solve, k, l),
        values_(static_cast<Complex<T>*>(solve.values)),
        starts_(solve.starts + static_cast<Index>(l) * solve.x.pairs + k),
        plane_(solve.plane()),
        all_(solve.columns()),
        last_(solve.levels - 1),
        pairs_(solve.pairs()),
        below_(solve.below),
        above_(solve.above),
        is_constant_(solve.is_singular && k == 0 && l == 0),
        mean_(is_constant_ ? *solve.mean : 0) {}

  /// Leaves d of Elimination in place of the right-hand sides, and u in the last plane.
  GOBAN_DEVICE void eliminate() {
    Elimination<is_periodic> column[4];
    for (int32 first = 0; first < pairs_; first += pairs_per_start) {
      Wave z[pairs_per_start][4];
      read(first, z);
      double* const start = start_of(first);
      GOBAN_UNROLL for (int n = 0; n < 4; ++n) {
        start[n * all_] = column[n].c;
        if constexpr (is_periodic) start[(4 + n) * all_] = column[n].p;
      }
      GOBAN_UNROLL for (int32 m = 0; m < pairs_per_start; ++m) {
        if (first + m >= pairs_) break;
        double low[4], high[4];
        columns_.to_waves(z[m], low, high);
        eliminate(column, 2 * (first + m), low);
        eliminate(column, 2 * (first + m) + 1, high);
        GOBAN_UNROLL for (int n = 0; n < 4; ++n) z[m][n] = {low[n], high[n]};
        columns_.write(values_ + (first + m) * plane_, z[m]);
      }
    }
  }

  /// Leaves the transforms of u.
  GOBAN_DEVICE void substitute() {
    double u[4] = {0, 0, 0, 0}, end[4] = {0, 0, 0, 0};
    for (int32 first = (pairs_ - 1) / pairs_per_start * pairs_per_start; first >= 0;
         first -= pairs_per_start) {
      Wave z[pairs_per_start][4];
      read(first, z);
      double c[levels_per_start][4], p[levels_per_start][4];
      find_again(first, c, p);
      GOBAN_UNROLL for (int32 m = levels_per_start - 1; m >= 0; --m) {
        if (2 * first + m > last_) continue;
        double wave[4];
        GOBAN_UNROLL for (int n = 0; n < 4; ++n) wave[n] =
            m % 2 == 0 ? z[m / 2][n].re : z[m / 2][n].im;
        columns_.restore_twins(wave);
        GOBAN_UNROLL for (int n = 0; n < 4; ++n) {
          if (2 * first + m == last_) {
            u[n] = end[n] = wave[n];
          } else {
            u[n] = wave[n] - c[m][n] * u[n];
            if constexpr (is_periodic) u[n] += p[m][n] * end[n];
          }
          (m % 2 == 0 ? z[m / 2][n].re : z[m / 2][n].im) = u[n];
        }
      }
      GOBAN_UNROLL for (int32 m = 0; m < pairs_per_start; ++m) {
        if (first + m >= pairs_) break;
        double low[4], high[4];
        GOBAN_UNROLL for (int n = 0; n < 4; ++n) {
          low[n] = z[m][n].re;
          high[n] = z[m][n].im;
        }
        columns_.from_waves(low, high, z[m]);
        columns_.write(values_ + (first + m) * plane_, z[m]);
      }
    }
  }

 private:
  static constexpr int32 levels_per_start = 2 * pairs_per_start;
  static constexpr int numbers = is_periodic ? 8 : 4;

  GOBAN_DEVICE double* start_of(int32 first) const {
    return starts_ + first / pairs_per_start * numbers * all_;
  }
  GOBAN_DEVICE double diagonal(int n, int32 level) const {
    double sum = columns_.diagonal[n];
    if constexpr (!is_periodic) sum += (level == 0 ? below_ : 0) + (level == last_ ? above_ : 0);
    return sum;
  }
  GOBAN_DEVICE void read(int32 first, Wave (&z)[pairs_per_start][4]) const {
    GOBAN_UNROLL for (int32 m = 0; m < pairs_per_start; ++m) {
      if (first + m < pairs_) columns_.read(values_ + (first + m) * plane_, z[m]);
    }
  }
  /// The last value of a column that nothing holds is 0, before its mean is taken off.
  GOBAN_DEVICE void eliminate(Elimination<is_periodic> (&column)[4], int32 level,
                              double (&wave)[4]) const {
    if (level > last_) return;
    wave[0] -= mean_;
    GOBAN_UNROLL for (int n = 0; n < 4; ++n) {
      if (level == last_ && is_constant_) {
        wave[n] = 0;
      } else if (level == last_ && is_periodic) {
        wave[n] = column[n].close(diagonal(n, level), wave[n]);
      } else {
        wave[n] = column[n].take(diagonal(n, level), wave[n]);
      }
    }
  }
  /// Finds c and p of the levels of a block.
  GOBAN_DEVICE void find_again(int32 first, double (&c)[levels_per_start][4],
                               double (&p)[levels_per_start][4]) const {
    const double* const start = start_of(first);
    GOBAN_UNROLL for (int n = 0; n < 4; ++n) {
      Elimination<is_periodic> column;
      column.c = start[n * all_];
      if constexpr (is_periodic) column.p = start[(4 + n) * all_];
      GOBAN_UNROLL for (int32 m = 0; m < levels_per_start; ++m) {
        column.advance(diagonal(n, 2 * first + m));
        c[m][n] = column.c;
        p[m][n] = column.p;
      }
    }
  }

  FourColumns columns_;
  Complex<T>* values_;
  double* starts_;
  Index plane_, all_;
  int32 last_, pairs_;
  double below_, above_;
  bool is_constant_;
  double mean_;  ///< what is taken off the right-hand side of the first column
};

/// Solves the columns of a wave along x, one along y, and their partners, in place.
template <class T, bool is_periodic>
GOBAN_DEVICE void solve_columns(const FourierSolve& solve, int32 k, int32 l) {
  ColumnSweeps<T, is_periodic> sweeps(solve, k, l);
  sweeps.eliminate();
  sweeps.substitute();
}

}  // namespace goban::device
