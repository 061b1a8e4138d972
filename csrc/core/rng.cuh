// rng.cuh -- random numbers as a pure function of a counter and a key.
//
//     philox(counter, key)   Philox4x32-10; Salmon, Moraes, Dror, Shaw, "Parallel random numbers:
//                            as easy as 1, 2, 3", SC 2011: 128 bits -> 128 bits
//     uniform(b)             (b >> 11) 2^-53 in [0, 1)
//     normal(b)              Phi^-1(((b >> 12) + 1/2) 2^-52): AS 241 (PPND16), Wichura 1988,
//                            relative error about 1e-16; |normal| <= 8.21
//     integer(b, m)          floor(b m / 2^64) in [0, m); each value is off 1/m by < 2^-64
//
// b is a word of 64 random bits. Only + - * / and sqrt of doubles, in a written order, and no libm:
// the bits agree for every compiler, instruction set and GPU as long as a*b+c stays two roundings.
#pragma once
#include "hd.cuh"

namespace tl {
inline namespace TL_ISA {

constexpr u64 kBitsOfOne = 0x3FF0000000000000ull;  // of the double 1

struct Words {
  u32 v[4];
};

TL_HD Words philox(Words c, u32 key0, u32 key1) {
  for (int round = 0; round < 10; ++round) {
    u32 a, b;
    const u32 high_a = wide_product(0xD2511F53u, c.v[0], &a);
    const u32 high_b = wide_product(0xCD9E8D57u, c.v[2], &b);
    c = Words{{high_b ^ c.v[1] ^ key0, b, high_a ^ c.v[3] ^ key1, a}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

// 1 + k 2^-52 has the bits of k below a fixed exponent: no conversion, which GPUs do at a quarter
// of the rate. (k + b / 2) 2^-52 is what 1 - b 2^-53 leaves of it; minuend, subtrahend and
// difference are doubles, so nothing is rounded.
TL_HD double uniform(u64 bits) {
  return double_of(bits >> 12 | kBitsOfOne) - double_of(kBitsOfOne - (bits >> 11 & 1));
}

TL_HD u64 integer(u64 bits, u64 bound) { return high_product(bits, bound); }

// A few doubles, each operation done to all of them before the next: a GPU then has as many chains
// of them under way.
template <int kCount>
struct Several {
  double value[kCount];
};
template <int kCount>
TL_HD Several<kCount> all_of(double x) {
  Several<kCount> all;
  for (int k = 0; k < kCount; ++k) all.value[k] = x;
  return all;
}
#define TL_SEVERAL(op)                                                             \
  template <int kCount>                                                            \
  TL_HD Several<kCount> operator op(Several<kCount> a, const Several<kCount>& b) { \
    for (int k = 0; k < kCount; ++k) a.value[k] = a.value[k] op b.value[k];        \
    return a;                                                                      \
  }                                                                                \
  template <int kCount>                                                            \
  TL_HD Several<kCount> operator op(const Several<kCount>& a, double b) {          \
    return a op all_of<kCount>(b);                                                 \
  }                                                                                \
  template <int kCount>                                                            \
  TL_HD Several<kCount> operator op(double a, const Several<kCount>& b) {          \
    return all_of<kCount>(a) op b;                                                 \
  }
TL_SEVERAL(+)
TL_SEVERAL(-)
TL_SEVERAL(*)
#undef TL_SEVERAL
template <int kCount>
TL_HD Several<kCount> quotient(Several<kCount> n, const Several<kCount>& d) {
  quotients(n.value, d.value, kCount);
  return n;
}

// e log 2 + log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1) and s = f / (2 + f): the logarithm of
// 1 + f is 2 atanh(s), by the minimax polynomial of fdlibm's e_log.c. Of doubles, or of vectors.
template <class Real>
TL_HD Real logarithm(Real e, Real f, Real s) {
  const Real z = s * s, w = z * z;
  const Real even = w * (3.999999999940941908e-01 +
                         w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const Real odd = z * (6.666666666666735130e-01 +
                        w * (2.857142874366239149e-01 +
                             w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const Real r = even + odd, half = 0.5 * f * f;
  return e * 6.93147180369123816490e-01 -
         ((half - (s * (half + r) + e * 1.90821492927058770002e-10)) - f);
}

// x = 2^e (1 + f) of a normal double x > 0, with 1 + f in [sqrt(1/2), sqrt(2)).
TL_HD void split(double x, double* e, double* f) {
  // Adding the distance from sqrt(1/2) to 1 moves the cut of the exponent to sqrt(1/2).
  const u64 moved = bits_of(x) + (0x3FF0000000000000ull - 0x3FE6A09E667F3BCDull);
  *e = double_of(moved >> 52 | 0x4330000000000000ull) - (0x1p52 + 1023.0);
  *f = double_of((moved & 0x000FFFFFFFFFFFFFull) + 0x3FE6A09E667F3BCDull) - 1.0;
}

// Below 1 ulp for a normal double x > 0.
TL_HD double natural_log(double x) {
  double e, f;
  split(x, &e, &f);
  return logarithm(e, f, quotient(f, 2.0 + f));
}

// Coefficients of AS 241 (PPND16), highest power first, numerator and denominator in turn: of the
// body, of the tails up to r = 5 and beyond. A GPU reads them from its constant memory as operands;
// as literals each would cost two instructions.
#define TL_QUANTILE_TABLE(name)                                                                   \
  name = {{2.5090809287301226727e+3, 5.2264952788528545610e+3, 3.3430575583588128105e+4,          \
           2.8729085735721942674e+4, 6.7265770927008700853e+4, 3.9307895800092710610e+4,          \
           4.5921953931549871457e+4, 2.1213794301586595867e+4, 1.3731693765509461125e+4,          \
           5.3941960214247511077e+3, 1.9715909503065514427e+3, 6.8718700749205790830e+2,          \
           1.3314166789178437745e+2, 4.2313330701600911252e+1, 3.3871328727963666080e+0, 1.0},    \
          {7.74545014278341407640e-4, 1.05075007164441684324e-9, 2.27238449892691845833e-2,       \
           5.47593808499534494600e-4, 2.41780725177450611770e-1, 1.51986665636164571966e-2,       \
           1.27045825245236838258e+0, 1.48103976427480074590e-1, 3.64784832476320460504e+0,       \
           6.89767334985100004550e-1, 5.76949722146069140550e+0, 1.67638483018380384940e+0,       \
           4.63033784615654529590e+0, 2.05319162663775882187e+0, 1.42343711074968357734e+0, 1.0}, \
          {2.01033439929228813265e-7, 2.04426310338993978564e-15, 2.71155556874348757815e-5,      \
           1.42151175831644588870e-7, 1.24266094738807843860e-3, 1.84631831751005468180e-5,       \
           2.65321895265761230930e-2, 7.86869131145613259100e-4, 2.96560571828504891230e-1,       \
           1.48753612908506148525e-2, 1.78482653991729133580e+0, 1.36929880922735805310e-1,       \
           5.46378491116411436990e+0, 5.99832206555887937690e-1, 6.65790464350110377720e+0, 1.0}}
enum QuantileRange { kBody, kTail, kFarTail };
constexpr double TL_QUANTILE_TABLE(kQuantile[3][16]);
#ifdef __CUDACC__
static __constant__ double TL_QUANTILE_TABLE(quantile_of_gpu[3][16]);
#endif

template <QuantileRange kRange>
TL_HD double coefficient(int k) {
#ifdef __CUDA_ARCH__
  return quantile_of_gpu[kRange][k];
#else
  return kQuantile[kRange][k];
#endif
}

// P(x) and Q(x), of a double or of a vector of them.
template <class Real>
struct Ratio {
  Real above, below;
};
template <QuantileRange kRange, class Real>
TL_HD Ratio<Real> ratio(Real x) {
  Real above = x * coefficient<kRange>(0), below = x * coefficient<kRange>(1);
  for (int k = 2; k < 14; k += 2) {
    above = (above + coefficient<kRange>(k)) * x;
    below = (below + coefficient<kRange>(k + 1)) * x;
  }
  return Ratio<Real>{above + coefficient<kRange>(14), below + 1.0};
}

// Whether normal_quantile takes its short branch at p = 1/2 + q: 85 % of the draws.
TL_HD bool is_central(double q) { return absolute(q) <= 0.425; }

// The quantile of 1/2 + q where is_central(q).
template <class Real>
TL_HD Real central_quantile(Real q) {
  const Ratio<Real> body = ratio<kBody>(0.180625 - q * q);
  return quotient(q * body.above, body.below);
}

// The p-quantile of N(0, 1), p = 1/2 + q in (0, 1); AS 241 (PPND16), Wichura 1988.
TL_HD double normal_quantile(double q) {
  if (is_central(q)) return central_quantile(q);
  const double r = square_root(-natural_log(0.5 - absolute(q)));
  const Ratio<double> tail = r <= 5.0 ? ratio<kTail>(r - 1.6) : ratio<kFarTail>(r - 5.0);
  const double value = quotient(tail.above, tail.below);
  return q < 0 ? -value : value;
}

// The same of a few q, of which nearly all are in the tails up to r = 5.
template <int kCount>
TL_HD Several<kCount> tail_quantiles(const Several<kCount>& q) {
  Several<kCount> e, f, r;
  for (int k = 0; k < kCount; ++k) split(0.5 - absolute(q.value[k]), e.value + k, f.value + k);
  const Several<kCount> log = logarithm(e, f, quotient(f, 2.0 + f));
  for (int k = 0; k < kCount; ++k) r.value[k] = square_root(-log.value[k]);
  const Ratio<Several<kCount>> tail = ratio<kTail>(r - 1.6);
  Several<kCount> value = quotient(tail.above, tail.below);
  for (int k = 0; k < kCount; ++k) {
    if (q.value[k] < 0) value.value[k] = -value.value[k];
    if (r.value[k] > 5.0 || is_central(q.value[k])) value.value[k] = normal_quantile(q.value[k]);
  }
  return value;
}

// q of the midpoint 1/2 + q of a 52-bit cell, k 2^-52 - 1/2 + 2^-53: never -1/2 or 1/2, symmetric,
// and each of the two sums is exact.
TL_HD double midpoint_offset(u64 bits) {
  return (double_of(bits >> 12 | kBitsOfOne) - 1.5) + 0x1p-53;
}

// Whether is_central(midpoint_offset(bits)) for all words that begin with the same 32 bits: for the
// few that this leaves out the others decide.
constexpr u32 kFirstCentral = 322122548u, kLastCentral = 3972844747u;
TL_HD bool is_surely_central(u64 bits) {
  return u32(bits >> 32) - kFirstCentral <= kLastCentral - kFirstCentral;
}
constexpr double end_of_cells(u32 first, u32 more) {  // their least p, or their greatest
  return double(i64((u64(first) << 32 | more) >> 12)) * 0x1p-52 + 0x1p-53;
}
static_assert(end_of_cells(kFirstCentral, 0) - 0.5 >= -0.425 &&
                  end_of_cells(kFirstCentral - 1, 0) - 0.5 < -0.425 &&
                  end_of_cells(kLastCentral, ~u32(0)) - 0.5 <= 0.425 &&
                  end_of_cells(kLastCentral + 1, ~u32(0)) - 0.5 > 0.425,
              "the sums are exact, so no other word at either end could be taken or left out");

TL_HD double normal(u64 bits) { return normal_quantile(midpoint_offset(bits)); }

}  // namespace TL_ISA
}  // namespace tl
