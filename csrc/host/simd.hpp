// simd.hpp -- vectors as wide as this build's instruction set, through GCC's vector extension.
#pragma once
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <type_traits>

#include "../core/hd.cuh"

namespace tl {
inline namespace TL_ISA {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
constexpr int kLineBytes = 64;

template <int... kPlaces>
struct Places {};
template <int kCount, int... kMore>  // 0, 1, .. kCount - 1
struct FirstPlaces : FirstPlaces<kCount - 1, kCount - 1, kMore...> {};
template <int... kAll>
struct FirstPlaces<0, kAll...> {
  typedef Places<kAll...> Type;
};

template <class T>
struct Simd {
  typedef T Vec __attribute__((vector_size(kVectorBytes)));
  typedef T Loose __attribute__((vector_size(kVectorBytes), aligned(sizeof(T)), may_alias));
  static constexpr int kLanes = kVectorBytes / sizeof(T);

  static TL_HD Vec load(const T* p) { return *reinterpret_cast<const Loose*>(p); }
  static TL_HD void store(T* p, Vec v) { *reinterpret_cast<Loose*>(p) = v; }

  // x in every lane: of Vec{} + x compilers make a sum, since it turns -0 into 0.
  static TL_HD Vec spread(T x) { return x - Vec{}; }

  // A load that stays in a register: of several uses GCC makes as many loads.
  static TL_HD Vec load_once(const T* p) { return held(load(p)); }
  static TL_HD Vec held(Vec v) {
#ifdef __x86_64__
    asm("" : "+v"(v));
#endif
    return v;
  }

  // a[kFrom], b[kFrom], a[kFrom + 1], b[kFrom + 1], ...
  template <int kFrom>
  static TL_HD Vec interleave(Vec a, Vec b) {
    return interleaved<kFrom>(a, b, All());
  }

  // row[a][b] becomes row[b][a]: in turn every half, quarter, ... changes places with its mirror.
  static TL_HD void transpose(Vec (&row)[kLanes]) { swap_blocks<kLanes / 2>(row); }

  // Past the caches, to an address aligned to a vector. Whole lines only: a line written in part
  // this way costs a read of memory. fence() before another thread may read.
  static TL_HD void stream(T* p, Vec v) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(p), (__m512i)v);
#elif defined(__AVX2__)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), (__m256i)v);
#elif defined(__x86_64__)
    _mm_stream_si128(reinterpret_cast<__m128i*>(p), (__m128i)v);
#else
    store(p, v);
#endif
  }

#ifdef __AVX512F__
  // Lanes skip, skip + 1, ... of the two vectors side by side; 0 <= skip <= kLanes.
  static TL_HD Vec join(Vec before, Vec after, int skip) {
    if constexpr (sizeof(T) == 4) {
      const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
      return (Vec)_mm512_permutex2var_ps(
          (__m512)before, _mm512_add_epi32(lane, _mm512_set1_epi32(skip)), (__m512)after);
    } else {
      const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
      return (Vec)_mm512_permutex2var_pd(
          (__m512d)before, _mm512_add_epi64(lane, _mm512_set1_epi64(skip)), (__m512d)after);
    }
  }
  // Lanes [first, last), each to its place in p[0 .. kLanes); no other byte is touched.
  static TL_HD void store_lanes(T* p, Vec v, int first, int last) {
    const unsigned mask = (1u << last) - (1u << first);
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_ps(p, __mmask16(mask), (__m512)v);
    else
      _mm512_mask_storeu_pd(p, __mmask8(mask), (__m512d)v);
  }
#endif

 private:
  typedef typename FirstPlaces<kLanes>::Type All;

  template <int kFrom, int... l>
  static TL_HD Vec interleaved(Vec a, Vec b, Places<l...>) {
    return __builtin_shufflevector(a, b, (l % 2 * kLanes + l / 2 + kFrom)...);
  }
  template <int kSpan, int... l>
  static TL_HD void swap_pair(Vec* a, Vec* b, Places<l...>) {
    const Vec low = __builtin_shufflevector(*a, *b, (l & kSpan ? kLanes + l - kSpan : l)...);
    *b = __builtin_shufflevector(*a, *b, (l & kSpan ? kLanes + l : l + kSpan)...);
    *a = low;
  }
  template <int kSpan>
  static TL_HD void swap_blocks(Vec (&row)[kLanes]) {
    if constexpr (kSpan > 0) {
#pragma GCC unroll 16
      for (int a = 0; a < kLanes; ++a)
        if (!(a & kSpan)) swap_pair<kSpan>(row + a, row + a + kSpan, All());
      swap_blocks<kSpan / 2>(row);
    }
  }
};

// The first `count` lanes of a vector, 1 to all: nothing beyond them is read or written.
template <class T>
class Part {
 public:
  typedef typename Simd<T>::Vec Vec;
  static constexpr int kLanes = Simd<T>::kLanes;

#if defined(__AVX512F__)
  explicit Part(i64 count) : mask_((1u << count) - 1) {}
  TL_HD Vec load(const T* p) const {
    if constexpr (sizeof(T) == 8)
      return (Vec)_mm512_maskz_loadu_pd(__mmask8(mask_), p);
    else
      return (Vec)_mm512_maskz_loadu_ps(__mmask16(mask_), p);
  }
  TL_HD void store(T* p, Vec v) const {
    if constexpr (sizeof(T) == 8)
      _mm512_mask_storeu_pd(p, __mmask8(mask_), (__m512d)v);
    else
      _mm512_mask_storeu_ps(p, __mmask16(mask_), (__m512)v);
  }

 private:
  const unsigned mask_;
#elif defined(__AVX2__)
  explicit Part(i64 count) {
    for (int l = 0; l < kLanes; ++l) mask_[l] = l < count ? -1 : 0;
  }
  TL_HD Vec load(const T* p) const {
    if constexpr (sizeof(T) == 8)
      return (Vec)_mm256_maskload_pd(p, (__m256i)mask_);
    else
      return (Vec)_mm256_maskload_ps(p, (__m256i)mask_);
  }
  TL_HD void store(T* p, Vec v) const {
    if constexpr (sizeof(T) == 8)
      _mm256_maskstore_pd(p, (__m256i)mask_, (__m256d)v);
    else
      _mm256_maskstore_ps(p, (__m256i)mask_, (__m256)v);
  }

 private:
  typedef typename std::conditional<sizeof(T) == 8, i64, i32>::type Lane;
  Lane mask_ __attribute__((vector_size(kVectorBytes)));
#else
  explicit Part(i64 count) : count_(count) {}
  TL_HD Vec load(const T* p) const {
    Vec v{};
    for (int l = 0; l < count_; ++l) v[l] = p[l];
    return v;
  }
  TL_HD void store(T* p, Vec v) const {
    for (int l = 0; l < count_; ++l) p[l] = v[l];
  }

 private:
  const i64 count_;
#endif
};

// A row of `size` numbers in kVecs vectors, the last of them in part.
template <class T, int kVecs>
struct Row {
  typedef Simd<T> S;
  typedef typename S::Vec Vec;
  static constexpr int kBefore = (kVecs - 1) * S::kLanes;  // numbers before the last vector
  const Part<T> last;
  const bool brief;  // 16 bytes or less in the last vector

  explicit Row(i64 size) : last(size - kBefore), brief((size - kBefore) * i64(sizeof(T)) <= 16) {}
  TL_HD Vec load(const T* p, int v) const {
    return v + 1 < kVecs ? S::load(p + v * S::kLanes) : last.load(p + kBefore);
  }
  TL_HD void store(T* p, int v, Vec x) const {
    v + 1 < kVecs ? S::store(p + v * S::kLanes, x) : last.store(p + kBefore, x);
  }
  // x / w in vector v. A divider is busy for as long as its vector is wide.
  TL_HD Vec quotient(Vec x, T w, [[maybe_unused]] int v) const {
#if defined(__AVX512F__)
    if (v + 1 == kVecs && brief) {  // in registers: a copy through memory would wait for its store
      if constexpr (sizeof(T) == 8)
        return (Vec)_mm512_maskz_broadcast_f64x2(
            3, (__m128d)(__builtin_shufflevector(x, x, 0, 1) / w));
      else
        return (Vec)_mm512_maskz_broadcast_f32x4(
            15, (__m128)(__builtin_shufflevector(x, x, 0, 1, 2, 3) / w));
    }
#endif
    return x / w;
  }
};

TL_HD void fence() {
#ifdef __x86_64__
  _mm_sfence();
#endif
}

}  // namespace TL_ISA
}  // namespace tl
