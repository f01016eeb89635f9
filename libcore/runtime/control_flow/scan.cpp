// Scan: runs the body on consecutive slices, with states carried from one to the next.
#include "libcore/ops/controlflow/scan.hpp"

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/runtime/control_flow/control_flow.hpp"
#include "libcore/runtime/control_flow/kept_results.hpp"
#include "libcore/runtime/control_flow/scan_outputs.hpp"
#include "libcore/runtime/control_flow/stack.hpp"

namespace ortool {
namespace {

std::int64_t at_or_zero(const std::vector<std::int64_t>& values, std::size_t index) {
  return index < values.size() ? values[index] : 0;
}

class ScanKernel : public ControlFlowKernel {
 public:
  ScanKernel(const Node& node, Scan op, const MakeProgram& make_program)
      : op_(std::move(op)),
        body_(node, *op_.body, make_program),
        first_(op_.is_batched ? 1 : 0),
        scanned_(static_cast<std::size_t>(op_.scan_inputs)) {
    const auto inputs = static_cast<std::size_t>(node.input_count()) - first_;
    if (scanned_ < 1 || scanned_ > inputs || body_.graph().inputs().size() != inputs ||
        body_.graph().outputs().size() < inputs - scanned_ ||
        body_.graph().outputs().size() != static_cast<std::size_t>(node.output_count())) {
      throw Error(ErrorCode::invalid,
                  format("the body has {} inputs and {} outputs (expected {} and {}, states first)",
                         body_.graph().inputs().size(), body_.graph().outputs().size(), inputs,
                         node.output_count()));
    }
    states_ = inputs - scanned_;
  }

  std::string_view name() const override { return "scan"; }
  std::vector<const Program*> programs() const override { return {&body_.program()}; }

  void run(DynamicContext& context, const RunEnvironment& environment) const override {
    std::vector<RunValue> inputs;
    for (std::size_t i = 0; i < states_ + scanned_; ++i)
      inputs.push_back(context.value(first_ + i));
    std::vector<RunValue> results = op_.is_batched ? run_batches(inputs, context, environment)
                                                   : run_once(inputs, -1, context, environment);
    for (std::size_t i = 0; i < context.output_count(); ++i)
      context.set_output(i, results[i].owned(context.cap()));
  }

 private:
  struct Walk {
    std::int64_t axis;
    bool is_reversed;
  };

  Walk input_walk(std::size_t index, std::int64_t rank) const {
    return {normalize_axis(at_or_zero(op_.input_axes, index), rank),
            at_or_zero(op_.input_directions, index) == 1};
  }

  /// `length`: the number of slices; negative: all.
  std::vector<RunValue> run_once(std::vector<RunValue>& inputs, std::int64_t length,
                                 const DynamicContext& context,
                                 const RunEnvironment& environment) const {
    std::vector<Walk> walks;
    std::int64_t count = -1;
    for (std::size_t i = 0; i < scanned_; ++i) {
      const Shape& shape = inputs[states_ + i].tensor().shape();
      walks.push_back(input_walk(i, shape.rank()));
      const std::int64_t size = shape[walks.back().axis];
      if (count >= 0 && size != count) {
        throw Error(
            ErrorCode::invalid,
            format("scanned input {} has {} slices (expected {}, as the first)", i, size, count));
      }
      count = size;
    }
    if (length >= 0) count = std::min(count, length);
    std::vector<RunValue> states(inputs.begin(),
                                 inputs.begin() + static_cast<std::ptrdiff_t>(states_));
    KeptResults outputs(body_.graph().outputs().size() - states_, context.cap());
    for (std::int64_t step = 0; step < count; ++step) {
      std::vector<RunValue> given = std::move(states);
      for (std::size_t i = 0; i < scanned_; ++i) {
        given.emplace_back(slice_at(inputs[states_ + i].tensor(), walks[i].axis,
                                    walks[i].is_reversed ? count - 1 - step : step, context.cap()));
      }
      std::vector<RunValue> results = body_.run(std::move(given), context, environment);
      states.assign(
          std::make_move_iterator(results.begin()),
          std::make_move_iterator(results.begin() + static_cast<std::ptrdiff_t>(states_)));
      for (std::size_t i = 0; i < outputs.size(); ++i)
        outputs.add(i, std::move(results[states_ + i]));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Value& value = *body_.graph().outputs()[states_ + i];
      const std::int64_t axis = at_or_zero(op_.output_axes, i);
      const std::int64_t rank =
          outputs[i].empty() ? 0 : outputs[i].front().tensor().shape().rank() + 1;
      states.emplace_back(stack(outputs[i], outputs[i].empty() ? 0 : normalize_axis(axis, rank),
                                at_or_zero(op_.output_directions, i) == 1, element_type_of(value),
                                shape_of_nothing(value, axis), "a scanned output", context.cap()));
    }
    return states;
  }

  /// Version 8: every tensor has a leading batch axis that is hidden from the body.
  std::vector<RunValue> run_batches(const std::vector<RunValue>& inputs,
                                    const DynamicContext& context,
                                    const RunEnvironment& environment) const {
    const std::int64_t batch = inputs.back().tensor().shape()[0];
    KeptResults results(body_.graph().outputs().size(), context.cap());
    for (std::int64_t b = 0; b < batch; ++b) {
      std::vector<RunValue> slices;
      for (const RunValue& input : inputs) {
        if (input.tensor().shape().rank() < 1 || input.tensor().shape()[0] != batch) {
          throw Error(ErrorCode::invalid,
                      format("an input is {} (expected {} batches)", input.describe(), batch));
        }
        slices.emplace_back(slice_at(input.tensor(), 0, b, context.cap()));
      }
      std::vector<RunValue> once =
          run_once(slices, length_of(context, b, batch), context, environment);
      for (std::size_t i = 0; i < results.size(); ++i) results.add(i, once[i].owned(context.cap()));
    }
    std::vector<RunValue> stacked;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Value& value = *body_.graph().outputs()[i];
      stacked.emplace_back(stack(results[i], 0, false, element_type_of(value),
                                 shape_of_nothing(value, 0), "a batch", context.cap()));
    }
    return stacked;
  }

  std::int64_t length_of(const DynamicContext& context, std::int64_t batch,
                         std::int64_t batches) const {
    if (!context.has_input(0)) return -1;
    const Tensor& lengths = context.input(0);
    if (lengths.type() != DataType::int64 || lengths.element_count() != batches) {
      throw Error(ErrorCode::invalid, format("the sequence lengths are {} (expected int64[{}])",
                                             context.value(0).describe(), batches));
    }
    return std::max<std::int64_t>(lengths.data<std::int64_t>()[static_cast<std::size_t>(batch)], 0);
  }

  Scan op_;
  Body body_;
  std::size_t first_;  ///< index of the first state among the inputs
  std::size_t scanned_;
  std::size_t states_ = 0;
};

}  // namespace

std::unique_ptr<const ControlFlowKernel> make_scan(const Node& node,
                                                   const MakeProgram& make_program) {
  return std::make_unique<const ScanKernel>(node, read_op<Scan>(node), make_program);
}

}  // namespace ortool
