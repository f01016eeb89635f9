// Data-dependent kernels: prepare and run at once, when the inputs' data is available.
#include "providers/cpu/support/data_dependent_kernel.hpp"

#include <utility>
#include <vector>

#include "libcore/provider/evaluate.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {

KernelPtr make_data_dependent_kernel(std::string_view name, KernelPtr inner) {
  const std::shared_ptr<const Kernel> shared = std::move(inner);
  return make_dynamic_kernel(name, [shared](DynamicContext& context) {
    std::vector<Operand> inputs(context.input_count());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!context.has_input(i)) continue;
      const Tensor& tensor = context.input(i);
      inputs[i] = {tensor.type(), tensor.shape(), &tensor};
    }
    std::vector<Tensor> results =
        evaluate(*shared, inputs, context.output_operands(), context.workers(), context.cap());
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i].is_empty()) context.set_output(i, std::move(results[i]));
    }
  });
}

}  // namespace ortool::cpu
