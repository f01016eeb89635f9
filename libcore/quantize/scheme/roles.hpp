// What an operator does with numbers, as far as quantising them is concerned.
#pragma once

#include <optional>
#include <string_view>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/op_traits.hpp"

namespace ortool {

/// The role of its operator, where the node's attributes and operands allow it.
QuantizeRole quantize_role(const Node& node);

/// Whether the node is an LSTM, GRU or RNN.
bool is_recurrent(const Node& node);

/// The name that a value has where it is computed: inside a body, that of the outer value it stands
/// for, whose name may have changed since.
std::string_view source_name(const Value& value);

/// The constant that the value holds or, inside a body, stands for; null when it is computed.
Value* constant_behind(Value* value);

/// Whether the value is a float32 tensor, as far as is known, or with `of_any_type` one of float16,
/// bfloat16 or float64.
bool is_float_tensor(const Value* value, bool of_any_type = false);

/// Whether the node adds, subtracts or multiplies by a constant, and which input that is.
std::optional<std::int64_t> constant_operand(const Node& node);

}  // namespace ortool
