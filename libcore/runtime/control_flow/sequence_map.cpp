// SequenceMap: runs the body on each element of a sequence.
#include "libcore/ops/controlflow/sequence_map.hpp"

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/runtime/control_flow/control_flow.hpp"

namespace ortool {
namespace {

class SequenceMapKernel : public ControlFlowKernel {
 public:
  SequenceMapKernel(const Node& node, const SequenceMap& op, const MakeProgram& make_program)
      : body_(node, *op.body, make_program), inputs_(static_cast<std::size_t>(node.input_count())) {
    const std::size_t outputs = body_.graph().outputs().size();
    if (body_.graph().inputs().size() == inputs_ &&
        outputs == static_cast<std::size_t>(node.output_count())) {
      return;
    }
    throw Error(ErrorCode::invalid,
                format("the body has {} inputs and {} outputs (expected {} and {})",
                       body_.graph().inputs().size(), outputs, inputs_, node.output_count()));
  }

  std::string_view name() const override { return "sequence_map"; }
  std::vector<const Program*> programs() const override { return {&body_.program()}; }

  void run(DynamicContext& context, const RunEnvironment& environment) const override {
    const std::size_t count = context.value(0).elements().size();
    std::vector<std::vector<RunValue>> outputs(context.output_count());
    for (std::size_t index = 0; index < count; ++index) {
      std::vector<RunValue> given;
      for (std::size_t i = 0; i < inputs_; ++i) given.push_back(element(context, i, index, count));
      std::vector<RunValue> results = body_.run(std::move(given), context, environment);
      for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].push_back(std::move(results[i]));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      context.set_output(i, RunValue::sequence(std::move(outputs[i])));
  }

 private:
  static const RunValue& element(const DynamicContext& context, std::size_t input,
                                 std::size_t index, std::size_t count) {
    const RunValue& value = context.value(input);
    if (!value.is_sequence()) return value;
    if (value.elements().size() != count) {
      throw Error(ErrorCode::invalid,
                  format("input {} is {} (expected {} elements as the first has)", input,
                         value.describe(), count));
    }
    return value.elements()[index];
  }

  Body body_;
  std::size_t inputs_;
};

}  // namespace

std::unique_ptr<const ControlFlowKernel> make_sequence_map(const Node& node,
                                                           const MakeProgram& make_program) {
  return std::make_unique<const SequenceMapKernel>(node, read_op<SequenceMap>(node), make_program);
}

}  // namespace ortool
