// The operator lists by family; each family defines its list in libcore/ops/<family>/list.cpp.
#pragma once

#include <span>

#include "libcore/ops/catalog.hpp"

namespace ortool {

// Every list is sorted by domain, then name.
std::span<const OpEntry> attention_contrib_operators();
std::span<const OpEntry> controlflow_operators();
std::span<const OpEntry> experimental_operators();
std::span<const OpEntry> fused_contrib_operators();
std::span<const OpEntry> generator_operators();
std::span<const OpEntry> legacy_contrib_operators();
std::span<const OpEntry> logical_operators();
std::span<const OpEntry> loss_operators();
std::span<const OpEntry> math_operators();
std::span<const OpEntry> microsoft_text_operators();
std::span<const OpEntry> ml_operators();
std::span<const OpEntry> nchwc_operators();
std::span<const OpEntry> nn_operators();
std::span<const OpEntry> provider_nhwc_operators();
std::span<const OpEntry> quantization_operators();
std::span<const OpEntry> quantized_contrib_operators();
std::span<const OpEntry> reduction_operators();
std::span<const OpEntry> rnn_operators();
std::span<const OpEntry> search_contrib_operators();
std::span<const OpEntry> sequence_operators();
std::span<const OpEntry> session_operators();
std::span<const OpEntry> signal_contrib_operators();
std::span<const OpEntry> signal_operators();
std::span<const OpEntry> tensor_operators();
std::span<const OpEntry> text_contrib_operators();
std::span<const OpEntry> text_operators();
std::span<const OpEntry> training_operators();
std::span<const OpEntry> weights_contrib_operators();
std::span<const OpEntry> vision_contrib_operators();

}  // namespace ortool
