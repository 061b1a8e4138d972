// table.hpp -- what one instruction set offers: a table of pointers, chosen once at import.
//
// Plain types only: this header is read by every build of isa.cpp and by module.cpp, so nothing in
// it may depend on TL_ISA.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tl {

enum class Draw { kUniform, kNormal, kInteger };

struct DrawJob {
  Draw kind;
  std::int64_t runs, clients, count;         // R, n, draws for each (run, client)
  const std::int64_t *run, *client, *bound;  // (R), (n), (n)
  std::uint64_t seed;
  std::uint32_t purpose, round, step;
  void* out;  // double (R, n, count), int64 for kInteger
};

// A drawn network, see kernels/random_edges.cuh, as CSR of n (degree + self) equal shares, which
// are not stored.
struct NetworkJob {
  std::int64_t n, degree, self;
  std::uint64_t seed;
  std::uint32_t purpose, round, run;
  std::int32_t *chosen, *indptr, *indices;  // (degree n) work space, (n + 1), (n (degree + self))
};

struct MixRows {
  const void *indptr, *indices, *data;
};

// Where the schedules of push_mix.hpp change over, in bytes. A test sets them to force a schedule.
struct MixTuning {
  std::int64_t stream_bytes = 4 << 20;  // outputs together: from here they bypass the caches
  std::int64_t packed_from = 2 << 20;   // x of one run: smaller fits L2 as it is
  std::int64_t strip_limit = 1 << 20;   // a packed strip: larger would not stay in L2
  std::int64_t chunk_bytes = 4 << 10;   // columns of one row copied at a time
  std::int64_t chunk_limit = 1 << 20;   // packed chunks of a thread: half of a usual L2
};

struct MixJob {
  std::int64_t runs, n, d, entries;  // entries: stored in all matrices together
  const MixRows* P;                  // one, or one for each run
  bool per_run, wide, single_data;   // wide: int64 indices; single_data: P.data is float
  bool single;                       // x is float
  const void *x, *w;
  void *x1, *w1, *z1;
  double share;  // mix_drawn: every entry, with P's data unread; z1 may be null
  MixTuning tuning;
};

// What the losses of all clients read, see kernels/local_steps.cuh; arrays of T unless typed.
struct StepTable {
  int family;  // tl::Family
  bool single;
  std::int64_t n, d, columns, features, stride, samples;
  const void *rows, *centers;
  const float* single_rows;  // the same data, half as long, where that is exact; or null
  const std::int64_t *labels, *starts, *sizes;
  std::int64_t batch;
  double reg, scale, clip, noise;
};

constexpr std::int64_t kFewBytes = 128;  // of a row of H: shorter ones are not padded to lines

enum class StepWork { kSteps, kGradients, kLosses, kMeans, kAscent };

struct StepJob {
  StepWork work;
  StepTable table;
  std::int64_t runs;
  const void* x;  // (R, n, d); kMeans: (R, d), padded rows for one column
  void* out;      // (R, n, d); kLosses: (R, n); kMeans: the gradients (R, d)
  // kSteps
  const void* w;                    // (R, n)
  const std::int64_t *run, *count;  // (R), (R, n) or null
  std::uint64_t seed;
  std::uint32_t round;
  std::int64_t steps;
  double eta, alpha, rho;
  // kGradients: rows (R, n, batch) or null for all of them; noise (R, n, d) or null for none
  const std::int64_t* drawn;
  const double* drawn_noise;
  // kAscent: x moves along this (R, n, d)
  const void* direction;
  // kMeans: weight of a row (samples), work space (blocks, R, width) and (blocks, R), means (R)
  const double* weights;
  void* partial;
  double *partial_loss, *mean_loss;
};

// Products with Hessians, see kernels/glm_hvp.cuh and kernels/mix_jvp.cuh; arrays of T.
struct HvpJob {
  bool single;                             // T is float
  std::int64_t runs, n, m, d, columns, k;  // columns 0: a GLM
  bool own_data, own_weight, own_c, own_s;
  const void *A, *weight, *prob, *V;
  double reg;
  const void *c, *s;  // null: no mixing
  bool before;        // Eq. (4a)
  void* out;          // (R, n, k, d * classes)
};
constexpr std::int64_t kHvpGroupBytes = 512 << 10;  // points and sums of the runs that share a pass
constexpr std::int64_t kHvpBlockBytes = 512 << 10;  // eight rows: more is one row at a time
constexpr std::int64_t kHvpTileBytes = 4096;        // of a row, where many points share its pass
constexpr std::int64_t kHvpPanelBytes = 96 << 10;   // points that panels pay for
constexpr std::int64_t kHvpSplitBytes = 32 << 20;   // sums of chunks, where clients are few

// Blocks of rows whose sums kMeans adds in order: a function of the number of rows alone.
inline std::int64_t mean_blocks(std::int64_t samples) {
  return samples < 64 * 64 ? (samples + 63) / 64 : 64;
}

constexpr std::int64_t kScratchBytes = 32 << 20;  // packed chunks of all threads together
constexpr std::int64_t kPackedEntries = 1 << 20;  // at most 12 MiB of offsets and values
constexpr std::int64_t kSerial = 50000;           // products that cost less than a parallel region

// One buffer for each of the threads of a region that is about to open, each aligned to a page:
// own() is the calling thread's. Kept until the thread that asked ends. std::bad_alloc: no memory,
// or a size from times() and plus() that is too large to count.
class Scratch {
 public:
  Scratch(std::int64_t bytes, int threads);
  char* own() const;

 private:
  std::int64_t bytes_;
  char* first_;
};

// The largest row norm and 2-norm of `count` matrices (n, n), see matrix_norms.hpp.
struct NormBound {
  double square;
  std::int64_t matrix;
};
struct NormsJob {
  std::int64_t count, n;
  const double* M;
  double known;       // a 2-norm up to this is not looked for; infinite: none is
  NormBound* bounds;  // work space (count), and of three matrices padded to whole eights
  double* work;
  double *row, *two;  // one each
};

// A loop on intervals of doubles, see intervals.hpp. slots: the state's intervals, then those of
// constants, and from `before` on place for one a step; a turn's state is what the slots `next`
// hold after the turn before it. after: work space, as large as the state.
struct Interval {
  double low, high;
};
struct TapeStep {
  std::int32_t kind, left, right;
};
struct TapeJob {
  const TapeStep* steps;
  const std::int32_t* next;
  std::int64_t count, state, before, turns;
  Interval *slots, *after;
};

// One lag of a product of mixing matrices, see lag_sums.hpp.
constexpr std::int64_t kSumColumns = 8;
struct LagJob {
  std::int64_t n, stride;       // clients, and as many columns as whole blocks have
  const MixRows* P;             // float64; null: E stays, but for its sums
  bool wide;                    // int64 indices
  double* E;                    // (stride / kSumColumns, n, kSumColumns)
  const double *here, *before;  // (n); two rows of stride: weights of columns and their squares
  double down;                  // what entries are multiplied by before they are squared
  double *there, *rows, *squares, *columns, *work, *top;
};

enum class Traffic { kCopy, kRead, kWrite };

class Watch;  // see watch.hpp

struct Table {
  const char* name;
  void (*draws)(const DrawJob&, int threads, Watch&);
  void (*networks)(const NetworkJob*, std::int64_t count, int threads, Watch&);
  bool (*mix_drawn)(const MixJob&, int threads, Watch&);  // false: not its kind, nothing is done
  void (*push_mix)(const MixJob&, int threads, Watch&);
  void (*local_steps)(const StepJob&, int threads, Watch&);
  void (*hvp)(const HvpJob&, int threads, Watch&);
  bool (*repeated)(const TapeJob&, Watch&);
  void (*lag_sums)(const LagJob&, Watch&);
  void (*norms)(const NormsJob&, Watch&);
  void (*traffic)(Traffic, const void* from, void* to, std::int64_t bytes, int threads);
  bool (*arithmetic)(bool single, bool one_rounding, std::int64_t products, int threads);
};

// Known instruction sets, weakest first; each is null where this build has none.
const Table* find_isa(const char* name);  // null: unknown to this build or to this CPU
const char* usable_isas();                // "baseline, avx2": for messages
const Table& current_isa();
void choose_isa(const Table& table);

int get_threads();
int default_threads();           // min(CPUs this process may use, 8)
void set_threads(int threads);   // 1 <= threads <= kMaxThreads
bool was_forked();               // true in a forked child: only one thread is safe there
constexpr int kMaxThreads = 64;  // 32 MiB of packing buffers are shared among them

}  // namespace tl
