// Quantization roles: how an operator behaves under quantization.
#pragma once

#include <optional>
#include <string_view>

#include "libcore/graph/node.hpp"
#include "libcore/ops/op_traits.hpp"

namespace ortool {

/// The role of its operator, provided the node's attributes and operands allow it.
QuantizeRole quantize_role(const Node& node);

/// Whether the node is an LSTM, GRU or RNN.
bool is_recurrent(const Node& node);

/// The name of a value where it is computed: for a capture inside a body, the current name of the
/// outer value.
std::string_view source_name(const Value& value);

/// The constant that the value is or, as a capture, refers to; null when it is computed.
Value* constant_behind(Value* value);

/// Whether the value is known to be a float32 tensor, or with `of_any_type` also one of float16,
/// bfloat16 or float64.
bool is_float_tensor(const Value* value, bool of_any_type = false);

/// The index of the constant operand of an addition, subtraction or multiplication, if there is
/// one.
std::optional<std::int64_t> constant_operand(const Node& node);

}  // namespace ortool
