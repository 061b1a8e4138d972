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
                       kPartners = 128 / 16,  // threads that share two products
      kPairs = kWarp / kPartners;             // of rows: neighbours read one packet of z
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
  T lanes[2][kVec] = {};

  static TL_HD Data load(const V* p) {
    Data data;
    data.packet = *reinterpret_cast<const decltype(data.packet)*>(p);
    return data;
  }

  TL_HD int own_row() const { return (m.thread() / kWarp * kPairs + m.thread() % kPairs) * 2; }

  static TL_HD Numbers numbers_of(const i32* p) {
    Numbers numbers;
    numbers.packet = *reinterpret_cast<const decltype(numbers.packet)*>(p);
    return numbers;
  }

  // All gradients of a step whose rows are one load.
  TL_HD void whole_step(u32 step, const V*& rows) {
    const bool sam = call.sizes.rho != 0;
    TL_COPIES(1) for (int pass = 0; pass < (sam ? 2 : 1); ++pass) {
      const bool stays = pass || (step && stream.fixed);
      if (stays) {
        m.barrier();  // z is written
      } else {
        ++group;
        rows = stream.arrive();
        stream.draw();  // the last threads, which have no products
      }
      multiply<true>(rows, 0, 0);
      pull_back<true>(rows, 0, 0, step, sam && !pass);
      if (sam && !pass) model.ascend();
    }
  }

  // The same of any rows.
  TL_HD void step(u32 step) {
    const bool sam = call.sizes.rho != 0;
    TL_COPIES(1) for (int pass = 0; pass < (sam ? 2 : 1); ++pass) {
      TL_COPIES(1) for (int first = 0; first < stream.count; first += call.group) {
        ++group;
        TL_COPIES(1) for (int phase = 0; phase < stream.phases; ++phase) {
          TL_COPIES(1) for (int column = 0; column < stream.width; column += call.chunk) {
            const V* rows = stream.arrive();
            if (!phase && !column) stream.draw();
            if (!phase) multiply<false>(rows, first, column);
            if (phase == stream.phases - 1)
              pull_back<false>(rows, first, column, step, sam && !pass);
          }
        }
      }
      if (sam && !pass) model.ascend();
    }
  }

  // Columns that a load from this one on has, whole packets of the data.
  template <bool kWhole>
  TL_HD int columns_from(int column) const {
    const int left = stream.width - column;
    return kWhole || left < call.chunk ? left : call.chunk;
  }

  // Products and, with the row's last columns, residuals. H needs none of its own columns for them.
  template <bool kWhole>
  TL_HD void multiply(const V* rows, int first, int column) {
    const bool last = kWhole || column + call.chunk >= stream.width;
    if (kFamily == Family::kDense && column) return;
    const int here = kWhole ? stream.count : stream.rows_from(first);
    products(rows, first, here, column, columns_from<kWhole>(column));
    if (kFamily == Family::kDense || last) residuals(here);
  }

  // What every row of the group multiplies its numbers with: adds the columns at hand.
  TL_HD void products(const V* rows, int first, int here, int column, int end) {
    const int C = int(call.t.columns);
    if (kFamily == Family::kLogistic) {
      if (!column)
        for (int r = 0; r < 2; ++r)
          for (int a = 0; a < kVec; ++a) lanes[r][a] = 0;
      const int row = own_row();
      if (row < here) add_products(rows + row * stream.pitch, row + 1 < here, column, end);
    } else if (kFamily == Family::kSoftmax) {
      TL_COPIES(1) for (int q = m.thread(); q < here * ((C + 1) / 2); q += m.threads()) {
        const int row = q % here, c = q / here * 2;
        softmax_products(rows + row * stream.pitch, column, end, c + 1 < C, logits + row * C + c,
                         model.z + c * model.width + column);
      }
    } else {
      TL_COPIES(1) for (int a = m.thread(); a < here; a += m.threads()) {
        logits[a] = model.z[first + a] - model.centers[first + a];
      }
    }
  }

  // data: a thread's first row. Without a second the first serves as both, for nothing.
  TL_HD void add_products(const V* data, bool two, int column, int end) {
    const int next = two ? stream.pitch : 0;
    const T* z = model.z + column;
    TL_COPIES(4)
    for (int k = m.thread() % kWarp / kPairs * kVec; k < end; k += kPartners * kVec) {
      const Part at = Model::load(z + k);
      const Data x[2] = {load(data + k), load(data + next + k)};
      for (int r = 0; r < 2; ++r)
        for (int a = 0; a < kVec; ++a) lanes[r][a] += T(x[r].value[a]) * at.value[a];
    }
  }

  // A row's logits of one or two classes: each is one sum, feature by feature.
  TL_HD void softmax_products(const V* data, int column, int end, bool two, T* logit,
                              const T* z) const {
    const int next = two ? model.width : 0;
    T sum[2] = {column ? logit[0] : T(0), column && two ? logit[1] : T(0)};
    TL_COPIES(4) for (int k = 0; k < end; k += kVec) {
      const Data x = load(data + k);
      const Part at[2] = {Model::load(z + k), Model::load(z + next + k)};
      for (int a = 0; a < kVec; ++a)
        for (int c = 0; c < 2; ++c) sum[c] += T(x.value[a]) * at[c].value[a];
    }
    logit[0] = sum[0];
    if (two) logit[1] = sum[1];
  }

  // The lanes of a row become one number: lanes[0][0] of the row that it says. Of two partners
  // that have the same two rows, each adds the lanes of one.
  TL_HD int add_lanes() {
    const bool second = m.thread() & (kWarp / 2);
    for (int a = 0; a < kVec; ++a) {
      const T low = lanes[0][a], high = lanes[1][a];
      lanes[0][a] = (second ? high : low) + m.from_lane_xor(second ? low : high, kWarp / 2);
    }
    for (int mask = kWarp / 4; mask >= kPairs; mask /= 2)
      for (int a = 0; a < kVec; ++a) lanes[0][a] += m.from_lane_xor(lanes[0][a], mask);
    for (int half = kVec / 2; half; half /= 2)
      for (int a = 0; a < half; ++a) lanes[0][a] += lanes[0][a + half];
    return own_row() + second;
  }

  // From the products to the residuals, in logits; all threads see them afterwards.
  TL_HD void residuals(int here) {
    const int C = int(call.t.columns);
    const i32* labels = stream.group_labels(group);
    if (kFamily == Family::kLogistic) {
      const bool warp_has_rows = m.thread() / kWarp * kPairs * 2 < here;
      const int row = warp_has_rows ? add_lanes() : here;
      if (row < here && m.thread() % (kWarp / 2) < kPairs)
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
  template <bool kWhole>
  TL_HD void pull_back(const V* rows, int first, int column, u32 step, bool ascending) {
    const int here = kWhole ? stream.count : stream.rows_from(first);
    const int packets = (columns_from<kWhole>(column) + kVec - 1) / kVec;
    const bool last = kWhole || first + here == stream.count;
    const bool refills = kWhole && stream.lone && !ascending && stream.more();
    TL_COPIES(1)
    for (int q = m.thread(); q < packets * int(call.t.columns); q += m.threads()) {
      const int c = kFamily == Family::kSoftmax ? q / packets : 0;
      const int at = (q - c * packets) * kVec, e = c * model.width + column + at;
      T sum[kVec];
      Part so_far = Part();
      if (!kWhole && first) so_far = Model::load(model.g + e);
      for (int a = 0; a < kVec; ++a) sum[a] = so_far.value[a];
      add_rows(rows + at, here, c, at, refills, sum);
      if (last) {
        model.finish(e, sum, step, ascending);
      } else {
        for (int a = 0; a < kVec; ++a) so_far.value[a] = sum[a];
        Model::save(model.g + e, so_far);
      }
    }
    if (refills) stream.loads();
  }

  // data: a packet of each row. Where the next step's rows replace these, this thread alone reads
  // those packets, and each goes as soon as it is read.
  TL_HD void add_rows(const V* data, int here, int c, int at, bool refills, T* sum) const {
    const i32* next = stream.next_rows();
    int j = 0;
    TL_COPIES(1) for (; j + kVec <= here; j += kVec) {
      const Part pulls = residuals_from(j, c);
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
      const T pull = logits[j * int(call.t.columns) + c];
      for (int a = 0; a < kVec; ++a) sum[a] += T(x.value[a]) * pull;
      if (refills) stream.template refill<kVec>(j, at, next[j]);
    }
  }

  TL_HD Part residuals_from(int j, int c) const {
    if (kFamily != Family::kSoftmax) return Model::load(logits + j);
    const int C = int(call.t.columns);
    Part part;
    for (int b = 0; b < kVec; ++b) part.value[b] = logits[(j + b) * C + c];
    return part;
  }
};

}  // namespace TL_ISA
}  // namespace tl
