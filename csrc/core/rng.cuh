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

struct Words {
  u32 v[4];
};

TL_HD Words philox(Words c, u32 key0, u32 key1) {
  for (int round = 0; round < 10; ++round) {
    const u64 a = u64(0xD2511F53u) * c.v[0], b = u64(0xCD9E8D57u) * c.v[2];
    const u32 c1 = c.v[1], c3 = c.v[3];
    c.v[0] = u32(b >> 32) ^ c1 ^ key0;
    c.v[1] = u32(b);
    c.v[2] = u32(a >> 32) ^ c3 ^ key1;
    c.v[3] = u32(a);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

TL_HD double uniform(u64 bits) { return double(i64(bits >> 11)) * 0x1p-53; }

TL_HD u64 integer(u64 bits, u64 bound) { return high_product(bits, bound); }

// Natural logarithm of a normal double x > 0, below 1 ulp: x = 2^e m with m in [sqrt(1/2),
// sqrt(2)), s = (m - 1)/(m + 1), log m = 2 atanh(s) by the minimax polynomial of fdlibm's e_log.c.
TL_HD double natural_log(double x) {
  const u64 bits = bits_of(x);
  // Adding the distance from sqrt(1/2) to 1 moves the cut of the exponent to sqrt(1/2).
  const u64 moved = bits + (0x3FF0000000000000ull - 0x3FE6A09E667F3BCDull);
  const double e = double(i64(moved >> 52) - 1023);
  const double f = double_of((moved & 0x000FFFFFFFFFFFFFull) + 0x3FE6A09E667F3BCDull) - 1.0;
  const double s = f / (2.0 + f), z = s * s, w = z * z;
  const double even = w * (3.999999999940941908e-01 +
                           w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd = z * (6.666666666666735130e-01 +
                          w * (2.857142874366239149e-01 +
                               w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double r = even + odd, half = 0.5 * f * f;
  return e * 6.93147180369123816490e-01 -
         ((half - (s * (half + r) + e * 1.90821492927058770002e-10)) - f);
}

TL_HD double horner7(double x, double a, double b, double c, double d, double e, double f, double g,
                     double h) {
  return ((((((a * x + b) * x + c) * x + d) * x + e) * x + f) * x + g) * x + h;
}

// Whether normal_quantile(p) takes its short branch: 85 % of the draws.
TL_HD bool is_central(double p) {
  const double q = p - 0.5;
  return q >= -0.425 && q <= 0.425;
}

// The p-quantile of N(0, 1) for p in (0, 1); AS 241 (PPND16), Wichura 1988.
TL_HD double normal_quantile(double p) {
  const double q = p - 0.5;
  if (is_central(p)) {
    const double r = 0.180625 - q * q;
    return q *
           horner7(r, 2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
                   4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
                   1.3314166789178437745e+2, 3.3871328727963666080e+0) /
           horner7(r, 5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4,
                   2.1213794301586595867e+4, 5.3941960214247511077e+3, 6.8718700749205790830e+2,
                   4.2313330701600911252e+1, 1.0);
  }
  double r = square_root(-natural_log(q < 0 ? p : 1.0 - p)), value;
  if (r <= 5.0) {
    r -= 1.6;
    value =
        horner7(r, 7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                1.27045825245236838258e+0, 3.64784832476320460504e+0, 5.76949722146069140550e+0,
                4.63033784615654529590e+0, 1.42343711074968357734e+0) /
        horner7(r, 1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
                1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e+0,
                2.05319162663775882187e+0, 1.0);
  } else {
    r -= 5.0;
    value =
        horner7(r, 2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e+0,
                5.46378491116411436990e+0, 6.65790464350110377720e+0) /
        horner7(r, 2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
                7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
                5.99832206555887937690e-1, 1.0);
  }
  return q < 0 ? -value : value;
}

// The midpoint of a 52-bit cell is a double, never 0 or 1, and 1 - p is exact: symmetric.
TL_HD double cell_midpoint(u64 bits) { return (double(i64(bits >> 12)) + 0.5) * 0x1p-52; }

TL_HD double normal(u64 bits) { return normal_quantile(cell_midpoint(bits)); }

}  // namespace TL_ISA
}  // namespace tl
