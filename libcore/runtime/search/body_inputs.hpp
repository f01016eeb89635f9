// Inputs of decoder bodies: tokens in the declared type, rows in a new order, checks of shapes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/runtime/search/token_sequences.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// Rows of `tensor` along `axis` (0, or 1 below a small axis 0) in the order of `rows`.
Tensor gather_rows(const Tensor& tensor, std::int64_t axis, std::span<const std::int32_t> rows,
                   MemoryCap* cap);
/// The same, unless the order stays.
RunValue reorder_rows(const RunValue& value, std::int64_t axis, std::span<const std::int32_t> rows,
                      MemoryCap* cap);
/// 0 0 0 1 1 1: the row of the batch that each of `count` beams begins with.
std::vector<std::int32_t> rows_of_beams(std::int64_t batch, std::int64_t beams);

/// The last `count` tokens of each sequence, in the type of the body's input.
Tensor last_tokens(const TokenSequences& sequences, std::int64_t count, const Value& input,
                   MemoryCap* cap);
/// `tensor` in the element type that the body declares for its input.
Tensor as_declared(const Tensor& tensor, const Value& input, MemoryCap* cap);
/// Throws unless the values have the types and the fixed sizes that the body's inputs declare.
void check_body_inputs(const Graph& body, std::span<const RunValue> values, std::string_view name);
/// A fixed size that the input declares, or `otherwise`.
std::int64_t declared_size(const Value& input, std::size_t axis, std::int64_t otherwise);

}  // namespace ortool
