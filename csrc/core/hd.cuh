// hd.cuh -- the only place that knows which of three compilers is reading.
//
//   g++ / clang++      TL_HD is a plain inline; compiled once per instruction set (TL_ISA)
//   nvcc               TL_HD marks host+device; both paths exist
//   NVRTC (CuPy)       no host headers at all; only device code is compiled
//
// Everything lives in tl::TL_ISA (an inline namespace): without it the linker would merge the
// inline functions of the three host builds and could hand AVX-512 code to an old CPU. For the same
// reason code reached from here uses no std:: template.
#pragma once
#ifdef __CUDACC_RTC__
typedef int i32;
typedef long long i64;
typedef unsigned int u32;
typedef unsigned long long u64;
#else
#include <cstdint>
#include <cstring>
typedef std::int32_t i32;
typedef std::int64_t i64;
typedef std::uint32_t u32;
typedef std::uint64_t u64;
#endif

#ifdef __CUDACC__
#define TL_HD __host__ __device__ __forceinline__
#define TL_ROLLED _Pragma("unroll 1")  // a loop that must not be unrolled
#else
#define TL_HD inline __attribute__((always_inline))
#define TL_ROLLED
#endif
#define TL_RESTRICT __restrict__

#ifndef TL_ISA
#define TL_ISA portable
#endif

namespace tl {
inline namespace TL_ISA {

#ifdef __CUDACC__
constexpr int kBlock = 256;  // divides the thread capacity of every SM since sm_80 (2048 or 1536)
__device__ __forceinline__ i64 first_task() { return i64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ __forceinline__ i64 task_stride() { return i64(gridDim.x) * blockDim.x; }
#endif

// The 64 bits of a double, and back.
TL_HD u64 bits_of(double x) {
#ifdef __CUDA_ARCH__
  return static_cast<u64>(__double_as_longlong(x));
#else
  u64 bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

TL_HD double double_of(u64 bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

// The 32 bits of a float, and back.
TL_HD u32 bits_of(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  u32 bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

TL_HD float float_of(u32 bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

// floor(a b / 2^64)
TL_HD u64 high_product(u64 a, u64 b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#elif defined(__CUDACC_RTC__)
  return 0;  // never called: NVRTC compiles no host code
#else
  __extension__ typedef unsigned __int128 u128;
  return static_cast<u64>((static_cast<u128>(a) * b) >> 64);
#endif
}

// The two halves of a b.
TL_HD u32 wide_product(u32 a, u32 b, u32* low) {
#ifdef __CUDA_ARCH__
  *low = a * b;
  return __umulhi(a, b);
#else
  const u64 product = u64(a) * b;
  *low = u32(product);
  return u32(product >> 32);
#endif
}

TL_HD double absolute(double x) {
#if defined(__CUDA_ARCH__) || defined(__CUDACC_RTC__)
  return fabs(x);
#else
  return __builtin_fabs(x);
#endif
}

// How many bits are set.
TL_HD int count_bits(u32 bits) {
#ifdef __CUDA_ARCH__
  return __popc(bits);
#elif defined(__CUDACC_RTC__)
  return 0;  // never called
#else
  return __builtin_popcount(bits);
#endif
}

// n / d, correctly rounded, where n is 0 or |n| in [2^-900, 2^900] and |d| in [2^-60, 2^60]. On a
// GPU these are the operations of nvcc's own division without its test for other numbers: an
// approximate reciprocal, two steps of Newton's, and the quotient corrected by its exact remainder.
//
// n[k] / d[k] into n[k], k = 0 .. count-1, in step.
TL_HD void quotients(double* n, const double* d, int count) {
#ifdef __CUDA_ARCH__
  double y[8], e[8];
  for (int k = 0; k < count; ++k) asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y[k]) : "d"(d[k]));
  for (int k = 0; k < count; ++k) y[k] = __hiloint2double(__double2hiint(y[k]), 1);
  for (int k = 0; k < count; ++k) e[k] = __fma_rn(-d[k], y[k], 1.0);
  for (int k = 0; k < count; ++k) e[k] = __fma_rn(e[k], e[k], e[k]);
  for (int k = 0; k < count; ++k) y[k] = __fma_rn(y[k], e[k], y[k]);
  for (int k = 0; k < count; ++k) e[k] = __fma_rn(-d[k], y[k], 1.0);
  for (int k = 0; k < count; ++k) y[k] = __fma_rn(y[k], e[k], y[k]);
  for (int k = 0; k < count; ++k) e[k] = __dmul_rn(n[k], y[k]);
  for (int k = 0; k < count; ++k) n[k] = __fma_rn(-d[k], e[k], n[k]);
  for (int k = 0; k < count; ++k) n[k] = __fma_rn(y[k], n[k], e[k]);
#else
  for (int k = 0; k < count; ++k) n[k] = n[k] / d[k];
#endif
}

TL_HD double quotient(double n, double d) {
  quotients(&n, &d, 1);
  return n;
}

// a b + c in one rounding. Sums of a formula have two: this is for what is right in its last place
// by a proof of its own.
TL_HD float fused(float a, float b, float c) {
#ifdef __CUDA_ARCH__
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}
TL_HD double fused(double a, double b, double c) {
#ifdef __CUDA_ARCH__
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

// v / w rounded to nearest, from inverse, which is 1 / w rounded to nearest. Of a q that is off by
// less than a unit in the last place, v - q w is exact, and q + (v - q w) inverse, rounded once, is
// the quotient (Markstein 1990). v inverse is off by up to two units, and one such step makes it q,
// so there are two. Where |v| or |w| is far from 1, v - q w may be too small to be exact.
template <class T>
TL_HD T quotient(T v, T w, T inverse) {
  T q = v * inverse;
  q = fused(fused(-q, w, v), inverse, q);
  return fused(fused(-q, w, v), inverse, q);
}

// IEEE square root, correctly rounded everywhere (nvcc rounds double sqrt and / correctly).
TL_HD double square_root(double x) {
#if defined(__CUDA_ARCH__) || defined(__CUDACC_RTC__)
  return sqrt(x);
#else
  return __builtin_sqrt(x);
#endif
}

}  // namespace TL_ISA
}  // namespace tl
