// local_steps_rows.cuh -- gradients of local_steps.cuh that add rows of data: what a row multiplies
// its numbers with, then the sum of the rows.
#pragma once
#include "local_steps_stream.cuh"

namespace tl {
inline namespace TL_ISA {

// The gradients of one task whose coordinates hang together through rows of data.
template <class M, class T, class V, Family kFamily, int kNear>
struct RowGradients {
  typedef StepModel<M, T, kFamily, kNear> Model;
  static constexpr int kVec = Model::kVec,
                       kPartners = 128 / 16,  // threads that share a product
                       kTogether = 2;         // products of a thread: a packet of z serves all
  typedef typename Model::Part Part;
  typedef Lanes<V, kVec> Data;
  typedef Lanes<i32, kVec> Numbers;  // of rows

  const M& m;
  const StepCall<T, V>& call;
  Model& model;
  RowStream<M, T, V, kFamily>& stream;
  T *logits = nullptr, *tops = nullptr;
  T share = 0;
  u32 group = ~0u;  // number of the group at hand
  T lanes[kTogether][kVec] = {};

  static TL_HD Data load(const V* p) {
    Data data;
    data.packet = *reinterpret_cast<const decltype(data.packet)*>(p);
    return data;
  }

  static TL_HD Numbers numbers_of(const i32* p) {
    Numbers numbers;
    numbers.packet = *reinterpret_cast<const decltype(numbers.packet)*>(p);
    return numbers;
  }

  // All gradients of a step. rows: the last load, which may stay.
  TL_HD void step(u32 step, const V*& rows) {
    const bool sam = call.sizes.rho != 0;
    TL_COPIES(1) for (int pass = 0; pass < (sam ? 2 : 1); ++pass) {
      const bool stays = stream.whole && (pass || (step && stream.fixed));
      TL_COPIES(1) for (int first = 0; first < stream.count; first += call.group) {
        if (!stays) ++group;
        TL_COPIES(1) for (int phase = 0; phase < stream.phases; ++phase) {
          TL_COPIES(1) for (int column = 0; column < stream.width; column += call.chunk) {
            const bool fresh = !phase && !column;
            if (stays)
              m.barrier();  // z is written
            else
              rows = stream.arrive();
            if (fresh && !stays) stream.draw();  // the last threads, which have no products
            if (!phase) multiply(rows, first, column);
            if (phase == stream.phases - 1) pull_back(rows, first, column, step, sam && !pass);
          }
        }
      }
      if (sam && !pass) model.ascend();
    }
  }

  // Products and, with the row's last columns, residuals. H needs none of its own columns for them.
  TL_HD void multiply(const V* rows, int first, int column) {
    const bool last = column + call.chunk >= stream.width;
    if (kFamily == Family::kDense && column) return;
    products(rows, first, column);
    if (kFamily == Family::kDense || last) residuals(first);
  }

  // What every row of the group multiplies its numbers with: adds the columns at hand.
  TL_HD void products(const V* rows, int first, int column) {
    const int here = stream.rows_from(first), C = int(call.t.columns);
    if (kFamily == Family::kLogistic) {
      const int row = m.thread() / kPartners * kTogether, part = m.thread() % kPartners * kVec;
      const int end = stream.width - column < call.chunk ? stream.width - column : call.chunk;
      if (!column)
        for (int r = 0; r < kTogether; ++r)
          for (int a = 0; a < kVec; ++a) lanes[r][a] = 0;
      if (row >= here) return;
      const V* data[kTogether];
      for (int r = 0; r < kTogether; ++r)  // behind the last row: that row again, for nothing
        data[r] = rows + (row + r < here ? row + r : row) * stream.pitch;
      const T* z = model.z + column;
      TL_COPIES(4) for (int k = part; k < end; k += kPartners * kVec) {
        const Part at = Model::load(z + k);
        for (int r = 0; r < kTogether; ++r) {
          const Data x = load(data[r] + k);
          for (int a = 0; a < kVec; ++a) lanes[r][a] += T(x.value[a]) * at.value[a];
        }
      }
    } else if (kFamily == Family::kSoftmax) {
      const int left = int(call.t.features) - column;
      const int end = left < call.chunk ? left : call.chunk;
      TL_COPIES(1) for (int q = m.thread(); q < here * C; q += m.threads()) {
        const V* data = rows + q / C * stream.pitch;
        const T* z = model.z + column * C + q % C;
        T sum = column ? logits[q] : T(0);
        for (int k = 0; k < end; ++k) sum += data[k] * z[k * C];
        logits[q] = sum;
      }
    } else {
      TL_COPIES(1) for (int a = m.thread(); a < here; a += m.threads()) {
        logits[a] = model.z[first + a] - model.centers[first + a];
      }
    }
  }

  // The lanes of a row become one number: lanes[0][0] of the row that it says. Of two partners
  // that have lanes of the same rows, each adds those of one half of the rows.
  TL_HD int add_lanes() {
    int row = m.thread() / kPartners * kTogether, mask = kPartners / 2;
    for (int half = kTogether / 2; half; half /= 2, mask /= 2) {
      const bool upper = m.thread() & mask;
      for (int r = 0; r < half; ++r)
        for (int a = 0; a < kVec; ++a) {
          const T low = lanes[r][a], high = lanes[r + half][a];
          lanes[r][a] = (upper ? high : low) + m.from_lane_xor(upper ? low : high, mask);
        }
      row += upper ? half : 0;
    }
    for (; mask; mask /= 2)
      for (int a = 0; a < kVec; ++a) lanes[0][a] += m.from_lane_xor(lanes[0][a], mask);
    for (int half = kVec / 2; half; half /= 2)
      for (int a = 0; a < half; ++a) lanes[0][a] += lanes[0][a + half];
    return row;
  }

  // From the products to the residuals, in logits; all threads see them afterwards.
  TL_HD void residuals(int first) {
    const int here = stream.rows_from(first), C = int(call.t.columns);
    const i32* labels = stream.group_labels(group);
    if (kFamily == Family::kLogistic) {
      const int row = add_lanes();
      if (row < here && m.thread() % (kPartners / kTogether) == 0)
        logits[row] = logistic_residual(lanes[0][0], labels[row]) * share;
    }
    if (kFamily == Family::kSoftmax) {
      m.barrier();
      TL_COPIES(1) for (int a = m.thread(); a < here; a += m.threads()) {
        tops[a] = softmax_top(C, logits + a * C);
      }
      m.barrier();
      TL_COPIES(1) for (int q = m.thread(); q < here * C; q += m.threads()) {
        logits[q] = softmax_weight(logits[q], tops[q / C]);
      }
      m.barrier();
      TL_COPIES(1) for (int a = m.thread(); a < here; a += m.threads()) {
        const T* weight = logits + a * C;
        T sum = weight[0];
        for (int c = 1; c < C; ++c) sum += weight[c];
        tops[a] = sum;
      }
      m.barrier();
      TL_COPIES(1) for (int q = m.thread(); q < here * C; q += m.threads()) {
        const T own = T(q % C == labels[q / C]);
        logits[q] = (logits[q] / tops[q / C] - own) * share;
      }
    }
    m.barrier();
  }

  // g += the rows at hand times the residuals, rows in order; the last group ends the gradient.
  TL_HD void pull_back(const V* rows, int first, int column, u32 step, bool ascending) {
    const int here = stream.rows_from(first), C = int(call.t.columns);
    const bool last = first + here == stream.count;
    const int begin = column * C, left = model.d - begin;
    const int end = left < call.chunk * C ? left : call.chunk * C;
    const bool refills = stream.lone && !ascending && stream.more();
    TL_COPIES(1) for (int at = m.thread() * kVec; at < end; at += m.threads() * kVec) {
      const int e = begin + at;
      T sum[kVec];
      Part so_far = Part();
      if (first) so_far = Model::load(model.g + e);
      for (int a = 0; a < kVec; ++a) sum[a] = so_far.value[a];
      if (kFamily == Family::kSoftmax) {
        add_outer(rows, here, at, sum);
      } else {
        add_rows(rows + at, here, at, refills, sum);
      }
      if (last) {
        model.finish(e, sum, step, ascending);
      } else {
        for (int a = 0; a < kVec; ++a) so_far.value[a] = sum[a];
        Model::save(model.g + e, so_far);
      }
    }
    if (refills) stream.loads();
  }

  // data: the packets that this thread alone reads here; where the next step's replace them, each
  // goes as soon as it is read.
  TL_HD void add_rows(const V* data, int here, int at, bool refills, T* sum) const {
    const i32* next = stream.next_rows();
    int j = 0;
    TL_COPIES(1) for (; j + kVec <= here; j += kVec) {
      const Part pulls = Model::load(logits + j);
      const Numbers numbers = refills ? numbers_of(next + j) : Numbers();
      for (int b = 0; b < kVec; ++b) {
        const Data x = load(data + (j + b) * stream.pitch);
        for (int a = 0; a < kVec; ++a) sum[a] += T(x.value[a]) * pulls.value[b];
      }
      if (refills)
        for (int b = 0; b < kVec; ++b) stream.template refill<kVec>(j + b, at, numbers.value[b]);
    }
    TL_COPIES(1) for (; j < here; ++j) {
      const Data x = load(data + j * stream.pitch);
      for (int a = 0; a < kVec; ++a) sum[a] += T(x.value[a]) * logits[j];
      if (refills) stream.template refill<kVec>(j, at, next[j]);
    }
  }

  TL_HD void add_outer(const V* rows, int here, int at, T* sum) const {
    const int C = int(call.t.columns);
    int feature[kVec], column[kVec];
    for (int a = 0; a < kVec; ++a) {  // behind d: within the pitch, and nobody uses it
      feature[a] = (at + a) / C;
      column[a] = (at + a) % C;
    }
    for (int j = 0; j < here; ++j)
      for (int a = 0; a < kVec; ++a)
        sum[a] += rows[j * stream.pitch + feature[a]] * logits[j * C + column[a]];
  }
};

}  // namespace TL_ISA
}  // namespace tl
