// Small changes of a node's form that conversions are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

using Integers = std::vector<std::int64_t>;

/// ErrorCode::unsupported: the node has no such form.
[[noreturn]] void refuse_form(std::string reason);

std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t otherwise);
/// An attribute that is a float, or nothing.
std::optional<float> float_of(const Node& node, std::string_view name);
/// A constant of one element, of the float type of the node's first input.
Value& number_like(Node& node, double number);
/// Inputs before it that are not there are left out.
void set_input_at(Node& node, std::int64_t index, Value* value);
/// With the constants that nothing reads any more.
void drop_inputs_from(Node& node, std::int64_t index);
/// An attribute of integers, where there is one, becomes the input `index`.
void move_to_input(Node& node, std::string_view name, std::int64_t index);
/// The last input becomes an attribute; it must be constant.
void move_to_attribute(Node& node, std::string_view name, std::int64_t index);
/// The integers of an input that has to be constant; nothing where it is left out.
std::optional<Integers> constant_integers(const Node& node, std::int64_t index,
                                          std::string_view name);

/// Removes a node; gives what it read, captured once more where nothing else in its body reads it.
std::vector<Value*> take_out(Node& node);

/// The node once more in its place, with other outputs, which nothing else makes, and under `name`
/// where one is given; it holds no graphs.
Node& make_again(Node& node, std::span<Value* const> outputs,
                 std::optional<std::string_view> name = std::nullopt);

}  // namespace ortool
