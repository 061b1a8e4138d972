// local_steps_quads.cuh -- four neighbouring coordinates of one (run, client) in a thread: where
// they lie, their slopes and their noise, for the losses whose coordinates are apart.
//
// Four at once share constants and addresses, and their chains of operations hide each other's
// latency, as long as no branch stands between them.
#pragma once
#include "local_steps_model.cuh"

namespace tl {
inline namespace TL_ISA {

constexpr int kQuad = 4;

template <class T>
struct Quad {
  T value[kQuad];
};

// The numbers of a row from p on, of which `inside` count. whole: they are whole packets.
template <class T>
TL_HD Quad<T> quad_at(const T* p, bool whole, int inside) {
  constexpr int kVec = 16 / int(sizeof(T));
  Quad<T> q;
  if (whole) {
    for (int a = 0; a < kQuad; a += kVec) {
      Lanes<T, kVec> part;
      part.packet = *reinterpret_cast<const Packet<16>*>(p + a);
      for (int b = 0; b < kVec; ++b) q.value[a + b] = part.value[b];
    }
  } else {
    for (int a = 0; a < kQuad; ++a) q.value[a] = a < inside ? p[a] : T(0);
  }
  return q;
}
template <class T>
TL_HD void put_quad(T* p, bool whole, int inside, const Quad<T>& q) {
  constexpr int kVec = 16 / int(sizeof(T));
  if (whole) {
    for (int a = 0; a < kQuad; a += kVec) {
      Lanes<T, kVec> part;
      for (int b = 0; b < kVec; ++b) part.value[b] = q.value[a + b];
      *reinterpret_cast<Packet<16>*>(p + a) = part.packet;
    }
  } else {
    for (int a = 0; a < kQuad; ++a)
      if (a < inside) p[a] = q.value[a];
  }
}

// Whether rows of d numbers at each of these places are whole quads of packets.
template <class... P>
TL_HD bool in_packets(i64 d, const P*... places) {
  return d % kQuad == 0 && !((u64(0) | ... | reinterpret_cast<u64>(places)) & 15);
}

// Steps that a (run, client) does of `steps`.
TL_HD u32 steps_of(i64 steps, const i64* counts, i64 task) {
  const i64 count = counts ? counts[task] : steps;
  return u32(count < 0 ? 0 : count < steps ? count : steps);
}

// x / w, rounded to nearest, for many x and one w, where nothing over- or underflows (elsewhere it
// is the quotient itself), in five operations without a branch. With w in [1, 2) and 1 / w rounded
// to p bits, the first correction by the exact remainder leaves q half an ulp off, and a hair; the
// second adds at most w 2^(-2p - 2) of error, where a quotient is at least 2^(-2p) / w from a
// midpoint.
template <class T>
struct Debiased {
  T w, inverse;
  bool one, ordinary;
  TL_HD explicit Debiased(T w)
      : w(w), inverse(T(1) / w), one(w == T(1)), ordinary(is_ordinary(w)) {}
  static TL_HD bool is_ordinary(T v) {
    const T size = v < 0 ? -v : v;
    return size > T(0x1p-60) && size < T(0x1p60);
  }
  TL_HD Quad<T> operator()(const Quad<T>& x) const {
    if (one) return x;
    Quad<T> z;
    bool fast = ordinary;
    for (int a = 0; a < kQuad; ++a) fast = fast && is_ordinary(x.value[a]);
    if (!fast) {
      for (int a = 0; a < kQuad; ++a) z.value[a] = x.value[a] / w;
      return z;
    }
    for (int a = 0; a < kQuad; ++a) z.value[a] = quotient(x.value[a], w, inverse);
    return z;
  }
};

template <class T, Family kFamily>
struct QuadSlopes {
  T scale, clip;
  Quad<T> center, curve;
  TL_HD void load(const T* centers, const T* diagonals, bool whole, int inside) {
    center = quad_at(centers, whole, inside);
    if (kFamily == Family::kDiagonal) curve = quad_at(diagonals, whole, inside);
  }
  TL_HD Quad<T> operator()(const Quad<T>& z) const {
    Quad<T> y, s;
    for (int a = 0; a < kQuad; ++a) y.value[a] = z.value[a] - center.value[a];
    if (kFamily == Family::kLogCosh) tangents<kQuad>(y.value, s.value);
    for (int a = 0; a < kQuad; ++a) {
      if (kFamily == Family::kDiagonal)
        s.value[a] = y.value[a] * curve.value[a];
      else if (kFamily == Family::kLogCosh)
        s.value[a] *= scale;
      else
        s.value[a] = Clipped<T>::slope(y.value[a], clip) * scale;
    }
    return s;
  }
};

// A place in memory of a thread's quad: which (run, client), and its first coordinate. Quads of all
// tasks are one row; a block has a stretch of it.
struct QuadPlace {
  i64 task, run;
  u32 client;
  int first, inside;
};

class QuadWalk {
 public:
  // Of R n tasks the block takes a stretch, a quad of each thread at a time.
  template <class M>
  TL_HD QuadWalk(const M& m, i64 tasks, i64 n, i64 d)
      : n_(u32(n)), quads_(u32(parts_of(d, kQuad))), d_(int(d)), threads_(u32(m.threads())) {
    const i64 all = tasks * quads_, tiles = parts_of(all, threads_);
    const i64 begin = m.block() * tiles / m.blocks(), end = (m.block() + 1) * tiles / m.blocks();
    left_ = end - begin;
    quad_left_ = all - begin * threads_;
    const i64 from = begin * threads_, own = from / quads_;
    rest_ = u32(from % quads_);
    run_ = own / n;
    client_ = u32(own % n);
  }
  TL_HD bool more() const { return left_ > 0; }
  TL_HD QuadPlace place(int thread) const {
    u32 rest = rest_ + u32(thread), client = client_;
    i64 run = run_;
    if (rest >= quads_) {
      client += rest / quads_;
      rest %= quads_;
      if (client >= n_) {
        run += client / n_;
        client %= n_;
      }
    }
    const int first = int(rest) * kQuad, after = d_ - first;
    const int inside = i64(thread) < quad_left_ ? after < kQuad ? after : kQuad : 0;
    return QuadPlace{run * n_ + client, run, client, first, inside};
  }
  TL_HD void next() {
    --left_;
    quad_left_ -= threads_;
    rest_ += threads_;
    if (rest_ >= quads_) {
      client_ += rest_ / quads_;
      rest_ %= quads_;
      if (client_ >= n_) {
        run_ += client_ / n_;
        client_ %= n_;
      }
    }
  }

 private:
  u32 n_, quads_;
  int d_;
  u32 threads_;
  i64 left_, quad_left_, run_;
  u32 rest_, client_;
};

// Normals of a block's quads. Those of the body are made where they are drawn; those in the tails
// (15 %) go through shared memory, so that whole warps work them off.
template <class M>
class QuadNormals {
 public:
  static constexpr int kKeys = 32;  // a block has at least so many threads
  static TL_HD i64 bytes(i64 threads) { return 2 * kQuad * threads * 8 + 128 + kKeys * 8; }

  // The keys of the first of `steps` steps from `step` on are made once.
  TL_HD QuadNormals(const M& m, u64 seed, u32 step, u32 steps)
      : m_(m),
        tails_(reinterpret_cast<double*>(m.shared())),
        waiting_(reinterpret_cast<i32*>(tails_ + 2 * kQuad * m.threads())),
        keys_(reinterpret_cast<Key*>(waiting_ + 2)) {
    if (!m.thread()) waiting_[0] = waiting_[1] = 0;
    if (u32(m.thread()) < steps && m.thread() < kKeys)
      keys_[m.thread()] = stream_key(seed, kNoise, step + u32(m.thread()));
    m.barrier();
  }
  // Draws first .. first + 3 of step number `step` of those, in the tails after the next settle().
  TL_HD void draw(const Source& s, u32 step, int first) {
    const Key key = step < u32(kKeys) ? keys_[step] : stream_key(s.seed, kNoise, step);
    double q[kQuad];
    for (int a = 0; a < kQuad; a += 2) {
      const Words w =
          philox(Words{{u32((first + a) >> 1), s.round, s.client, s.run}}, key.lo, key.hi);
      for (int b = 0; b < 2; ++b) q[a + b] = midpoint_offset(stream_word(w, b));
    }
    own_ = 0;
    int count = 0;
    for (int a = 0; a < kQuad; ++a) {
      value[a] = central_quantile(q[a]);
      const int tail = !is_central(q[a]);
      own_ |= tail << a;
      count += tail;
    }
    if (count) {
      from_ = m_.fetch_add(waiting_ + turn_, count);
      double* at = tails() + from_;
      for (int a = 0; a < kQuad; ++a)
        if (own_ >> a & 1) *at++ = q[a];
    }
  }
  // All threads together, once after each draw.
  TL_HD void settle() {
    m_.barrier();
    double* now = tails();
    const i32 count = waiting_[turn_];
    for (i32 k = m_.thread(); k < count; k += m_.threads()) now[k] = normal_quantile(now[k]);
    turn_ ^= 1;
    if (!m_.thread()) waiting_[turn_] = 0;  // nobody has looked at it since the last barrier
    m_.barrier();
    for (int a = 0, at = from_; a < kQuad; ++a)
      if (own_ >> a & 1) value[a] = now[at++];
    own_ = 0;
  }

  double value[kQuad] = {};

 private:
  // A block has two of them in turn: some threads still read the last draw's.
  TL_HD double* tails() const { return tails_ + turn_ * kQuad * m_.threads(); }

  const M& m_;
  double* tails_;
  i32* waiting_;
  Key* keys_;
  int own_ = 0, from_ = 0, turn_ = 0;
};

}  // namespace TL_ISA
}  // namespace tl
