// gpu.cuh -- what a schedule may ask of the machine that runs it, and the GPU's answers.
//
// A schedule is written once, as a template over its machine M: on the GPU M is Gpu below, in tests
// and on computers without one it is Loops (csrc/emulated/loops.hpp), which runs the same code
// block by block and thread by thread. M answers:
//
//     thread() threads()          this thread of its block, and how many there are: whole warps
//     block() blocks()            this block of the grid, and how many there are
//     shared()                    the block's shared memory, aligned to 128 bytes
//     barrier() warp_barrier()    every thread of the block, or of the warp, is here
//     from_lane_xor(v, mask)      the value of v in lane (own lane XOR mask); all lanes take part
//     warp() warps()              this warp of its block, and how many there are
//     ballot(b)                   bit l: whether b is true in lane l; all lanes take part
//     copy_async<B>(to, from)     B = 4, 8 or 16 bytes from global into shared memory, later
//     commit()                    closes this thread's group of copies
//     wait_all_but<N>()           until at most the last N groups of this thread are under way;
//                                 others see the bytes after the next barrier
//     store_if(b, p, v)           if b, 8 bytes v at p in shared memory; no branch
//     kBulk                       whether the machine has gates (GPUs of 9.0 and later). A gate is
//     a
//                                 u64 of shared memory; one thread asks for the next three
//     open_gate(gate)             before its first use, with a barrier after it
//     expect(gate, bytes)         the next phase of the gate ends when so many bytes arrived
//     copy_bulk(to, from, bytes, gate)  all at once, in multiples of 16 bytes, later; what other
//                                 threads read there before is behind a barrier
//     wait_gate(gate, phase)      every thread: until phase 0, 1, 0, .. of the gate has ended
//     fetch_add(p, k)             adds k to an i32 of shared memory that others add to as well, and
//                                 what it held before; who comes first is open
//     mma(c, a, b)                c += a b, small matrices that the 32 lanes of a warp hold and
//                                 multiply together; where their elements lie: below
//     store(p, v)                 *p = v, a packet to an address that is aligned to it
//     once(p)                     *p, which nobody will read again: it need not stay in a cache
//     stream(p, v)                *p = v, likewise
//
// Threads of a block may leave together only: a barrier that some threads never reach is an error.
//
// Elements of mma (PTX ISA: mma.m8n8k4 .f64, mma.m16n8k8 .tf32), with g = lane / 4, l = lane % 4:
//
//     double  a (8 x 4)  a = A[g][l]                           b (4 x 8)  b = B[l][g]
//             c (8 x 8)  c[e] = C[g][2 l + e]
//     tf32    a (16 x 8) a[e] = A[g + 8 (e % 2)][l + 4 (e / 2)]
//             b (8 x 8)  b[e] = B[l + 4 e][g]
//             c (16 x 8) c[e] = C[g + 8 (e / 2)][2 l + e % 2], float
//
// A tf32 word is a float whose last 13 bits are 0: 11 bits of significand. Products are exact. How
// sums are rounded and in which order the hardware keeps to itself: doubles to nearest, floats
// perhaps towards zero.
#pragma once
#include "hd.cuh"

namespace tl {
inline namespace TL_ISA {

constexpr int kWarp = 32;

// How many `each` hold all, and how much these hold. Parts of shared memory are whole lines of 128.
TL_HD constexpr i64 parts_of(i64 all, i64 each) { return (all + each - 1) / each; }
TL_HD constexpr i64 up_to(i64 size, i64 unit = 128) { return parts_of(size, unit) * unit; }

// B bytes that travel together.
template <int B>
struct Packet;
template <>
struct Packet<4> {
  u32 word;
};
template <>
struct alignas(8) Packet<8> {
  u32 word[2];
};
template <>
struct alignas(16) Packet<16> {
  u32 word[4];
};

// p as it is, in registers: of an address that is a sum the compiler adds the parts at every use.
template <class T>
TL_HD T* held(T* p) {
#ifdef __CUDA_ARCH__
  asm("" : "+l"(p));
#endif
  return p;
}

#ifdef __CUDACC__
struct Gpu {
  __device__ static int thread() { return int(threadIdx.x); }
  __device__ static int threads() { return int(blockDim.x); }
  __device__ static int warp() {  // the same in all lanes, and the compiler knows it
    return __shfl_sync(0xFFFFFFFFu, int(threadIdx.x) / kWarp, 0);
  }
  __device__ static int warps() { return int(blockDim.x) / kWarp; }
  __device__ static i64 block() { return blockIdx.x; }
  __device__ static i64 blocks() { return gridDim.x; }
  __device__ static unsigned char* shared() {
    extern __shared__ __align__(128) unsigned char memory[];
    return memory;
  }
  __device__ static void barrier() { __syncthreads(); }
  __device__ static void warp_barrier() { __syncwarp(); }
  template <class T>
  __device__ static T from_lane_xor(T v, int mask) {
    return __shfl_xor_sync(0xFFFFFFFFu, v, mask);
  }
  __device__ static u32 ballot(bool b) { return __ballot_sync(0xFFFFFFFFu, b); }
  template <int B>
  __device__ static void copy_async(void* to, const void* from) {
    const u32 at = u32(__cvta_generic_to_shared(to));
    if (B == 16)  // past the first-level cache: nobody reads it there again
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(B)
                   : "memory");
  }
  __device__ static void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  template <int N>
  __device__ static void wait_all_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
  }
  __device__ static void store_if(bool b, unsigned char* p, u64 v) {
    asm volatile("{ .reg .pred b; setp.ne.u32 b, %0, 0; @b st.shared.u64 [%1], %2; }" ::"r"(u32(b)),
                 "r"(u32(__cvta_generic_to_shared(p))), "l"(v)
                 : "memory");
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  static constexpr bool kBulk = true;
  __device__ static u32 near(const void* p) { return u32(__cvta_generic_to_shared(p)); }
  __device__ static void open_gate(u64* gate) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(near(gate)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __device__ static void expect(u64* gate, int bytes) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(near(gate)),
                 "r"(bytes)
                 : "memory");
  }
  __device__ static void copy_bulk(void* to, const void* from, int bytes, u64* gate) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(near(to)),
        "l"(from), "r"(bytes), "r"(near(gate))
        : "memory");
  }
  __device__ static void wait_gate(u64* gate, int phase) {
    asm volatile(
        "{ .reg .pred ended; AGAIN_%=: "
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1; "
        "@!ended bra AGAIN_%=; }" ::"r"(near(gate)),
        "r"(phase)
        : "memory");
  }
#else
  static constexpr bool kBulk = false;
#endif
  __device__ static i32 fetch_add(i32* p, i32 k) { return atomicAdd(p, k); }
  __device__ static void mma(double (&c)[2], double a, double b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a), "d"(b));
  }
  // Two row tiles by one b, which chips from 9.0 on multiply together.
  __device__ static void mma(double (&c)[2], double (&e)[2], double a, double below, double b) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(e[0]), "+d"(e[1])
        : "d"(a), "d"(below), "d"(b));
#else
    mma(c, a, b);
    mma(e, below, b);
#endif
  }
  __device__ static void mma(float (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  __device__ static float once(const float* p) { return __ldcs(p); }
  __device__ static double once(const double* p) { return __ldcs(p); }
  __device__ static void store(Packet<8>* p, Packet<8> v) {
    __stwb(reinterpret_cast<uint2*>(p), make_uint2(v.word[0], v.word[1]));
  }
  __device__ static void store(Packet<16>* p, Packet<16> v) {
    __stwb(reinterpret_cast<uint4*>(p), make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]));
  }
  __device__ static void stream(Packet<4>* p, Packet<4> v) { __stcs(&p->word, v.word); }
  __device__ static void stream(Packet<8>* p, Packet<8> v) {
    __stcs(reinterpret_cast<uint2*>(p), make_uint2(v.word[0], v.word[1]));
  }
  __device__ static void stream(Packet<16>* p, Packet<16> v) {
    __stcs(reinterpret_cast<uint4*>(p), make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]));
  }
};
#endif

// kVec numbers of T as one packet, and back.
template <class T, int kVec>
union Lanes {
  Packet<int(sizeof(T)) * kVec> packet;
  T value[kVec];
};

}  // namespace TL_ISA
}  // namespace tl
