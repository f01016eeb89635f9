// Loop: repeats the body while trip count and condition allow.
#include "libcore/ops/controlflow/loop.hpp"

#include <limits>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/runtime/control_flow/control_flow.hpp"
#include "libcore/runtime/control_flow/kept_results.hpp"
#include "libcore/runtime/control_flow/scan_outputs.hpp"
#include "libcore/runtime/control_flow/stack.hpp"

namespace ortool {
namespace {

std::int64_t trip_count(const DynamicContext& context) {
  if (!context.has_input(0) || context.value(0).is_none())
    return std::numeric_limits<std::int64_t>::max();
  const Tensor& tensor = context.input(0);
  if (tensor.type() != DataType::int64 || tensor.element_count() != 1) {
    throw Error(ErrorCode::invalid,
                format("the trip count is {} (expected an int64 of one element)",
                       context.value(0).describe()));
  }
  return tensor.data<std::int64_t>()[0];
}

class LoopKernel : public ControlFlowKernel {
 public:
  LoopKernel(const Node& node, const Loop& op, const MakeProgram& make_program)
      : body_(node, *op.body, make_program),
        carried_(static_cast<std::size_t>(std::max<std::int64_t>(node.input_count() - 2, 0))) {
    const auto inputs = body_.graph().inputs().size();
    const auto outputs = body_.graph().outputs().size();
    const auto own_outputs = static_cast<std::size_t>(node.output_count());
    if (inputs != carried_ + 2 || outputs < carried_ + 1 || own_outputs > outputs - 1) {
      throw Error(ErrorCode::invalid,
                  format("the body has {} inputs and {} outputs (expected {} and at least {})",
                         inputs, outputs, carried_ + 2, std::max(carried_, own_outputs) + 1));
    }
  }

  std::string_view name() const override { return "loop"; }
  std::vector<const Program*> programs() const override { return {&body_.program()}; }

  void run(DynamicContext& context, const RunEnvironment& environment) const override {
    const std::int64_t trips = trip_count(context);
    bool goes_on = !context.has_input(1) || context.value(1).is_none() ||
                   truth(context.value(1), "the condition");
    std::vector<RunValue> carried;
    for (std::size_t i = 0; i < carried_; ++i) carried.push_back(context.value(i + 2));
    KeptResults scanned(body_.graph().outputs().size() - 1 - carried_, context.cap());
    for (std::int64_t trip = 0; trip < trips && goes_on; ++trip) {
      std::vector<RunValue> inputs = {Tensor::scalar(trip), Tensor::scalar(true)};
      for (RunValue& value : carried) inputs.push_back(std::move(value));
      std::vector<RunValue> results = body_.run(std::move(inputs), context, environment);
      goes_on = truth(results[0], "the condition that the body returns");
      for (std::size_t i = 0; i < carried_; ++i) carried[i] = std::move(results[i + 1]);
      for (std::size_t i = 0; i < scanned.size(); ++i)
        scanned.add(i, std::move(results[i + 1 + carried_]));
    }
    for (std::size_t i = 0; i < context.output_count(); ++i) {
      if (i < carried_) {
        context.set_output(i, carried[i].owned(context.cap()));
      } else if (context.has_output(i)) {
        const Value& output = *body_.graph().outputs()[i + 1];
        context.set_output(i,
                           stack(scanned[i - carried_], 0, false, element_type_of(output),
                                 shape_of_nothing(output, 0), "a scanned output", context.cap()));
      }
    }
  }

 private:
  Body body_;
  std::size_t carried_;
};

}  // namespace

std::unique_ptr<const ControlFlowKernel> make_loop(const Node& node,
                                                   const MakeProgram& make_program) {
  return std::make_unique<const LoopKernel>(node, read_op<Loop>(node), make_program);
}

}  // namespace ortool
