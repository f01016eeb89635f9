// String kernels: maps strings to numbers, runs the kernel, and maps back.
#include "providers/cpu/support/string_kernel.hpp"

#include <string>
#include <unordered_map>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/provider/evaluate.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

/// The strings of all inputs, numbered from 1; 0 is the empty string.
class StringIds {
 public:
  StringIds(const DynamicContext& context, bool compares)
      : context_(context), compares_(compares) {}

  Tensor number(const Tensor& strings) {
    Tensor numbers = context_.make(DataType::int64, strings.shape());
    std::int64_t* out = numbers.mutable_data<std::int64_t>().data();
    for (const std::string& text : strings.strings()) *out++ = number_of(text);
    return numbers;
  }

  Tensor strings(const Tensor& numbers) const {
    const std::span<const std::int64_t> all = numbers.data<std::int64_t>();
    std::int64_t bytes = 0;
    for (const std::int64_t number : all)
      bytes += static_cast<std::int64_t>(sizeof(std::string) + text_of(number).size());
    // Counted before they are created, then for as long as they live.
    if (context_.cap() != nullptr) {
      context_.cap()->take(bytes, "a tensor of strings");
      context_.cap()->give_back(bytes);
    }
    std::vector<std::string> texts;
    texts.reserve(all.size());
    for (const std::int64_t number : all) texts.emplace_back(text_of(number));
    return Tensor::of_strings(numbers.shape(), std::move(texts), context_.cap());
  }

 private:
  std::int64_t number_of(const std::string& text) {
    if (text.empty()) return 0;
    const auto next = static_cast<std::int64_t>(texts_.size()) + 1;
    if (compares_) {
      const auto [found, is_new] = known_.try_emplace(text, next);
      if (!is_new) return found->second;
    }
    texts_.emplace_back(text);
    return next;
  }
  std::string_view text_of(std::int64_t number) const {
    return number == 0 ? std::string_view() : texts_[static_cast<std::size_t>(number - 1)];
  }

  const DynamicContext& context_;
  bool compares_;
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, std::int64_t> known_;
};

/// Operands of the inner kernel, and the tensors that they refer to.
struct InnerOperands {
  std::vector<Tensor> tensors;
  std::vector<Operand> operands;
};

InnerOperands number_inputs(const DynamicContext& context, StringIds& numbers) {
  InnerOperands inputs;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    inputs.tensors.push_back(context.has_input(i) ? context.input(i) : Tensor());
    Tensor& tensor = inputs.tensors.back();
    if (tensor.type() == DataType::string) tensor = numbers.number(tensor);
  }
  for (const Tensor& tensor : inputs.tensors)
    inputs.operands.push_back({tensor.type(), tensor.shape(), &tensor});
  return inputs;
}

void run_on_numbers(const Kernel& inner, bool compares, DynamicContext& context) {
  StringIds numbers(context, compares);
  const InnerOperands inputs = number_inputs(context, numbers);
  const std::vector<Operand> wanted = context.output_operands();
  std::vector<Operand> outputs = wanted;
  for (Operand& output : outputs) {
    if (output.type == DataType::string) output.type = DataType::int64;
  }
  std::vector<Tensor> results =
      evaluate(inner, inputs.operands, outputs, context.workers(), context.cap());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!wanted[i].is_given()) continue;
    const bool is_string = wanted[i].type == DataType::string;
    context.set_output(i, is_string ? numbers.strings(results[i]) : std::move(results[i]));
  }
}

}  // namespace

KernelPtr make_string_kernel(std::string_view name, KernelPtr inner, bool compares) {
  return make_dynamic_kernel(name, [inner = std::move(inner), compares](DynamicContext& context) {
    run_on_numbers(*inner, compares, context);
  });
}

}  // namespace ortool::cpu
