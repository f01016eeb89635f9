// Kernel defaults shared by dynamic kernels.
#include "libcore/provider/kernel.hpp"

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/provider/shape_rule.hpp"

namespace ortool {

bool DynamicContext::has_input(std::size_t index) const {
  return index < inputs_.size() && (index >= static_cast<std::size_t>(node_.input_count()) ||
                                    node_.input(static_cast<std::int64_t>(index)) != nullptr);
}

bool DynamicContext::has_output(std::size_t index) const {
  return index < outputs_.size() && node_.output(static_cast<std::int64_t>(index)) != nullptr;
}

std::vector<Operand> DynamicContext::output_operands() const {
  std::vector<Operand> operands;
  operands.reserve(inputs_.size());
  for (const RunValue& input : inputs_) {
    operands.push_back(
        input.is_none() ? Operand()
                        : Operand{input.tensor().type(), input.tensor().shape(), &input.tensor()});
  }
  std::vector<std::int64_t> wanted;
  std::vector<Operand> outputs;
  for (RuledOutput& ruled : apply_shape_rule(node_, operands, wanted)) {
    const bool is_given = node_.output(static_cast<std::int64_t>(outputs.size())) != nullptr;
    if (is_given && !ruled.shape) {
      throw Error(
          ErrorCode::unsupported,
          format("the shape of output {} cannot be determined from the inputs", outputs.size()));
    }
    outputs.push_back(is_given ? Operand{ruled.type, std::move(*ruled.shape), nullptr} : Operand());
  }
  return outputs;
}

void Kernel::run_dynamic(DynamicContext&) const {
  ORTOOL_CHECK(false);
}

}  // namespace ortool
