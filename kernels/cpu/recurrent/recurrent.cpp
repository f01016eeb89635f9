// Recurrent layers: one input product for all steps, then a state product and a cell per step.
#include "kernels/cpu/recurrent/recurrent.hpp"

#include <algorithm>

#include "kernels/cpu/recurrent/recurrent_cell.hpp"

namespace ortool::cpu {
namespace {

/// Directions with less work per step than this run concurrently, each on one thread.
constexpr std::int64_t small_step = std::int64_t{1} << 22;

std::int64_t rounded_to_line(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// Byte offsets within the scratch of one direction.
template <typename T>
struct DirectionSpace {
  std::int64_t bias = 0;
  std::int64_t inputs = 0;
  std::int64_t gates = 0;
  std::int64_t reset = 0;
  std::int64_t h = 0;
  std::int64_t c = 0;
  std::int64_t product = 0;
  std::int64_t bytes = 0;

  DirectionSpace(const RecurrentLayerParams& params, const RecurrentSizes& sizes,
                 const RecurrentProducts<T>& products) {
    const std::int64_t width = params.gates() * sizes.hidden;
    bias = add(width);
    inputs = add(sizes.sequence * sizes.batch * width);
    gates = add(sizes.batch * width);
    reset = add(sizes.batch * sizes.hidden);
    h = add(sizes.batch * sizes.hidden);
    c = add(sizes.batch * sizes.hidden);
    product = bytes;
    std::int64_t most =
        products.workspace_bytes(RecurrentFactor::input, sizes.sequence * sizes.batch);
    most = std::max(most, products.workspace_bytes(RecurrentFactor::state, sizes.batch));
    if (params.late_rows(sizes.hidden) != 0)
      most = std::max(most, products.workspace_bytes(RecurrentFactor::late_state, sizes.batch));
    bytes += rounded_to_line(most);
  }

 private:
  std::int64_t add(std::int64_t elements) {
    const std::int64_t at = bytes;
    bytes += rounded_to_line(elements * static_cast<std::int64_t>(sizeof(T)));
    return at;
  }
};

template <typename T>
class DirectionRun {
 public:
  DirectionRun(const RecurrentLayerParams& params, const RecurrentSizes& sizes,
               const RecurrentOperands<T>& operands, const RecurrentProducts<T>& products,
               std::int64_t direction, Isa isa, std::byte* space)
      : params_(params),
        sizes_(sizes),
        operands_(operands),
        products_(products),
        direction_(direction),
        is_reverse_(params.is_reverse || direction == 1),
        width_(params.gates() * sizes.hidden),
        space_(params, sizes, products),
        base_(space),
        steps_(params, direction, sizes.hidden, operands.peepholes != nullptr, isa) {}

  /// Computes the input's contribution to all gates.
  void multiply_inputs(Workers& workers) const {
    const T* bias = nullptr;
    if (operands_.bias != nullptr) {
      const T* from = operands_.bias + direction_ * 2 * width_;
      T* sums = at(space_.bias);
      const std::int64_t both =
          width_ -
          (params_.linear_before_reset && params_.cell == RecurrentCell::gru ? sizes_.hidden : 0);
      for (std::int64_t i = 0; i < width_; ++i)
        sums[i] = i < both ? from[i] + from[width_ + i] : from[i];
      bias = sums;
    }
    const std::int64_t steps = params_.batch_first ? sizes_.sequence : longest();
    products_.multiply(RecurrentFactor::input, direction_, steps * sizes_.batch, operands_.x, bias,
                       at(space_.inputs), base_ + space_.product, workers);
  }

  /// Runs all steps and writes the outputs of this direction.
  void walk(Workers& workers) const {
    start(operands_.initial_h, at(space_.h));
    start(operands_.initial_c, at(space_.c));
    const std::int64_t steps = longest();
    for (std::int64_t step = 0; step < steps; ++step) {
      end_rows(step - 1, step);
      take(step, workers);
    }
    end_rows(steps - 1, steps + 1);
    clear_ends();
  }

 private:
  T* at(std::int64_t offset) const { return reinterpret_cast<T*>(base_ + offset); }
  std::int64_t length(std::int64_t b) const {
    return operands_.lengths == nullptr ? sizes_.sequence : std::int64_t{operands_.lengths[b]};
  }
  std::int64_t longest() const {
    std::int64_t most = 0;
    for (std::int64_t b = 0; b < sizes_.batch; ++b) most = std::max(most, length(b));
    return most;
  }
  std::int64_t state_row(std::int64_t b) const {
    return (params_.batch_first ? b * params_.directions + direction_
                                : direction_ * sizes_.batch + b) *
           sizes_.hidden;
  }
  T* output_row(std::int64_t position, std::int64_t b) const {
    const std::int64_t row =
        params_.batch_first ? (b * sizes_.sequence + position) * params_.directions + direction_
                            : (position * params_.directions + direction_) * sizes_.batch + b;
    return operands_.y + row * sizes_.hidden;
  }

  void start(const T* initial, T* state) const {
    for (std::int64_t b = 0; b < sizes_.batch; ++b) {
      T* row = state + b * sizes_.hidden;
      if (initial == nullptr) {
        std::fill(row, row + sizes_.hidden, T{0});
      } else {
        const T* from = initial + state_row(b);
        std::copy(from, from + sizes_.hidden, row);
      }
    }
  }

  void multiply_state(RecurrentFactor factor, const T* state, T* to, Workers& workers) const {
    products_.multiply(factor, direction_, sizes_.batch, state, nullptr, to, base_ + space_.product,
                       workers);
  }

  /// Calls `body(row, sequence of the batch, position)` for each sequence that has not ended.
  template <typename Body>
  void for_each_row(std::int64_t step, Workers& workers, Body body) const {
    const std::int64_t grain = std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(1, width_));
    workers.parallel_ranges(sizes_.batch, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) {
        if (step >= length(b)) continue;
        const std::int64_t position = is_reverse_ ? length(b) - 1 - step : step;
        const std::int64_t input =
            params_.batch_first ? b * sizes_.sequence + position : position * sizes_.batch + b;
        CellRow<T> row = {};
        row.x = at(space_.inputs) + input * width_;
        row.gates = at(space_.gates) + b * width_;
        row.h = at(space_.h) + b * sizes_.hidden;
        row.c = at(space_.c) + b * sizes_.hidden;
        row.reset = at(space_.reset) + b * sizes_.hidden;
        if (operands_.bias != nullptr)
          row.bias = operands_.bias + (direction_ * 2 + 1) * width_ + 2 * sizes_.hidden;
        if (operands_.peepholes != nullptr)
          row.peepholes = operands_.peepholes + direction_ * 3 * sizes_.hidden;
        body(row, b, position);
      }
    });
  }

  void take(std::int64_t step, Workers& workers) const {
    const std::int64_t late = params_.late_rows(sizes_.hidden);
    T* gates = at(space_.gates);
    multiply_state(RecurrentFactor::state, at(space_.h), gates, workers);
    if (late != 0) {
      for_each_row(step, workers,
                   [&](const CellRow<T>& row, auto, auto) { steps_.gru_gates(row); });
      multiply_state(RecurrentFactor::late_state, at(space_.reset), gates + width_ - late, workers);
    }
    for_each_row(step, workers, [&](const CellRow<T>& row, std::int64_t b, std::int64_t position) {
      if (params_.cell == RecurrentCell::lstm) {
        steps_.lstm(row);
      } else if (params_.cell == RecurrentCell::rnn) {
        steps_.rnn(row);
      } else {
        if (late == 0) steps_.gru_gates(row);
        steps_.gru_state(row);
      }
      if (operands_.y != nullptr) std::copy(row.h, row.h + sizes_.hidden, output_row(position, b));
    });
  }

  /// Outputs the final states of sequences whose lengths are in [least, limit) and zeroes them:
  /// where states are quantized by their range, an ended sequence still counts for one more step,
  /// as in ONNX Runtime.
  void end_rows(std::int64_t least, std::int64_t limit) const {
    for (std::int64_t b = 0; b < sizes_.batch; ++b) {
      if (length(b) < least || length(b) >= limit) continue;
      finish(b, at(space_.h), operands_.y_h);
      if (params_.cell == RecurrentCell::lstm) finish(b, at(space_.c), operands_.y_c);
    }
  }

  void finish(std::int64_t b, T* state, T* out) const {
    T* const from = state + b * sizes_.hidden;
    if (length(b) == 0 && sizes_.sequence > 0) std::fill_n(from, sizes_.hidden, T{0});
    if (out != nullptr) std::copy_n(from, sizes_.hidden, out + state_row(b));
    std::fill_n(from, sizes_.hidden, T{0});
  }

  void clear_ends() const {
    if (operands_.y == nullptr) return;
    for (std::int64_t b = 0; b < sizes_.batch; ++b) {
      for (std::int64_t position = length(b); position < sizes_.sequence; ++position) {
        T* row = output_row(position, b);
        std::fill(row, row + sizes_.hidden, T{0});
      }
    }
  }

  const RecurrentLayerParams& params_;
  const RecurrentSizes& sizes_;
  const RecurrentOperands<T>& operands_;
  const RecurrentProducts<T>& products_;
  std::int64_t direction_;
  bool is_reverse_;
  std::int64_t width_;
  DirectionSpace<T> space_;
  std::byte* base_;
  CellSteps<T> steps_;
};

}  // namespace

template <typename T>
std::int64_t recurrent_workspace_bytes(const RecurrentLayerParams& params,
                                       const RecurrentSizes& sizes,
                                       const RecurrentProducts<T>& products) {
  return params.directions * DirectionSpace<T>(params, sizes, products).bytes;
}

template <typename T>
void recurrent_layer(const RecurrentLayerParams& params, const RecurrentSizes& sizes,
                     const RecurrentOperands<T>& operands, const RecurrentProducts<T>& products,
                     Isa isa, void* workspace, Workers& workers) {
  const std::int64_t bytes = DirectionSpace<T>(params, sizes, products).bytes;
  const auto run_of = [&](std::int64_t direction) {
    return DirectionRun<T>(params, sizes, operands, products, direction, isa,
                           static_cast<std::byte*>(workspace) + direction * bytes);
  };
  for (std::int64_t d = 0; d < params.directions; ++d) run_of(d).multiply_inputs(workers);
  const std::int64_t step = sizes.batch * params.gates() * sizes.hidden * sizes.hidden;
  if (params.directions > 1 && step < small_step) {
    workers.parallel_for(params.directions, [&](std::int64_t d) {
      Workers alone(workers.stop());
      run_of(d).walk(alone);
    });
    return;
  }
  for (std::int64_t d = 0; d < params.directions; ++d) run_of(d).walk(workers);
}

template std::int64_t recurrent_workspace_bytes(const RecurrentLayerParams&, const RecurrentSizes&,
                                                const RecurrentProducts<float>&);
template std::int64_t recurrent_workspace_bytes(const RecurrentLayerParams&, const RecurrentSizes&,
                                                const RecurrentProducts<double>&);
template void recurrent_layer(const RecurrentLayerParams&, const RecurrentSizes&,
                              const RecurrentOperands<float>&, const RecurrentProducts<float>&, Isa,
                              void*, Workers&);
template void recurrent_layer(const RecurrentLayerParams&, const RecurrentSizes&,
                              const RecurrentOperands<double>&, const RecurrentProducts<double>&,
                              Isa, void*, Workers&);

}  // namespace ortool::cpu
