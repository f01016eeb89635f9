// Input sizes: larger ones are tried only if inference knows their memory use.
#include "libcore/verify/input_sizes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/inspect/activation_memory.hpp"
#include "libcore/inspect/count_macs.hpp"
#include "libcore/optimize/passes/inline_functions.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool {
namespace {

/// Sizes for all free dimensions together, if the smallest are rejected at run time.
constexpr std::array<std::int64_t, 5> sizes_to_try = {2, 8, 32, 128, 512};
constexpr std::int64_t max_run_bytes = std::int64_t{512} << 20;
constexpr std::int64_t max_macs = 20'000'000'000;
/// The limit on the size of inputs when peak memory is unknown.
constexpr std::int64_t max_input_bytes = std::int64_t{8} << 20;

std::int64_t input_bytes(const Graph& graph) {
  Cost bytes;
  for (const Value* input : graph.inputs()) {
    if (input->has_default() || !input->type().is_tensor() || !input->type().shape) continue;
    Cost own(element_bits(input->type().element) / 8 + 1);
    for (const Dimension& dimension : *input->type().shape) own = own.times(dimension);
    bytes.add(own);
  }
  return bytes.value().value_or(0);
}

}  // namespace

InputSizeChoice::InputSizeChoice(Load load, InputSizes given, const MemoryCap& cap,
                                 const StopToken& stop)
    : load_(std::move(load)), given_(std::move(given)), cap_(cap) {
  const std::unique_ptr<Model> model = load_();
  inline_functions(*model);
  least_ = find_least_sizes(*model, {.given = given_, .stop = &stop});
}

InputSizes InputSizeChoice::at_least(std::int64_t size) const {
  InputSizes sizes = least_.sizes;
  for (auto& [name, number] : sizes) {
    if (!given_.contains(name)) number = std::max(number, size);
  }
  return sizes;
}

std::vector<InputSizes> InputSizeChoice::for_run(int index) const {
  std::vector<InputSizes> result;
  if (index > 0) {
    InputSizes sizes = least_.sizes;
    for (auto& [name, number] : sizes) {
      if (!given_.contains(name) && number == 1) number = index + 1;
    }
    result.push_back(std::move(sizes));
  }
  result.push_back(least_.sizes);
  if (least_.sizes.size() == given_.size()) return result;
  for (const std::int64_t size : sizes_to_try) result.push_back(at_least(size));
  return result;
}

bool InputSizeChoice::is_within_budget(const InputSizes& sizes) const {
  const std::int64_t limit = cap_.limit_bytes();
  const std::int64_t budget = limit > 0 ? std::min(max_run_bytes, limit / 4) : max_run_bytes;
  const std::unique_ptr<Model> model = load_();
  try {
    inline_functions(*model);
    set_input_sizes(*model, sizes);
    if (input_bytes(*model->graph) > budget) return false;
    infer_shapes(*model);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid && error.code() != ErrorCode::unsupported) throw;
    return false;
  }
  const auto macs = MacCounter(*model).count(*model->graph).value();
  if (macs && *macs > max_macs) return false;
  const ActivationMemory peak = peak_activation_memory(*model);
  const auto bytes = peak.unknown == nullptr ? peak.bytes.value() : std::nullopt;
  return bytes ? *bytes <= budget : input_bytes(*model->graph) <= max_input_bytes;
}

}  // namespace ortool
