// Node edits that opset conversions are made of: attributes to inputs and back, replacement.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/node.hpp"

namespace ortool {

using Integers = std::vector<std::int64_t>;

/// Throws ErrorCode::unsupported: the node has no form in the target opset.
[[noreturn]] void refuse_form(std::string reason);

std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t otherwise);
/// The float attribute, or nothing.
std::optional<float> float_of(const Node& node, std::string_view name);
/// A scalar constant of the float type of the node's first input.
Value& number_like(Node& node, double number);
/// Sets an input; missing inputs before it are marked as omitted.
void set_input_at(Node& node, std::int64_t index, Value* value);
/// Also removes constants that lose their last use.
void drop_inputs_from(Node& node, std::int64_t index);
/// Turns an attribute of integers, if present, into the input `index`.
void move_to_input(Node& node, std::string_view name, std::int64_t index);
/// Turns the last input, which must be constant, into an attribute.
void move_to_attribute(Node& node, std::string_view name, std::int64_t index);
/// The integers of an input that must be constant; nothing when it is omitted.
std::optional<Integers> constant_integers(const Node& node, std::int64_t index,
                                          std::string_view name);

/// Removes a node and returns its inputs; captures without other uses in the body are recreated.
std::vector<Value*> take_out(Node& node);

/// Recreates the node in place, with other outputs, which have no producer, and under `name` if
/// given; it must not have subgraphs.
Node& make_again(Node& node, std::span<Value* const> outputs,
                 std::optional<std::string_view> name = std::nullopt);

}  // namespace ortool
