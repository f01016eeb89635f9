// Operands of products with block-quantized weights: sizes, blocks, and the shape of the product.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// A size of the matrix, 1 to 2^31.
std::int64_t read_block_count(AttributeReader& attributes, std::string_view name);

/// Attribute block_size, a power of two from 16 on; `otherwise` if the node omits it.
std::int64_t read_block_size(AttributeReader& attributes, std::int64_t otherwise = 0);

/// Attribute bits: 2, 4 or 8.
std::int64_t read_block_bits(AttributeReader& attributes, std::string_view name = "bits");

/// The number of elements if all dimensions are known.
std::optional<std::int64_t> element_count_of(const InferContext& context, std::int64_t input);

/// Throws ErrorCode::invalid when the input is known to have another number of elements.
void check_element_count(const InferContext& context, std::int64_t input, std::string_view name,
                         std::int64_t expected);

/// The codes, scales and zero points of n columns in blocks along k; omitted ones pass.
struct BlockOperands {
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t bits = 4;
  std::int64_t block_size = 0;

  std::int64_t blocks() const { return (k + block_size - 1) / block_size; }
  void check_codes(const InferContext& context, std::int64_t input, std::string_view name) const;
  void check_scales(const InferContext& context, std::int64_t input, std::string_view name) const;
};

/// Output 0: input 0 with `columns` instead of its last axis, which must be `depth`.
void set_product_output(InferContext& context, std::int64_t depth, const Dimension& columns);

/// The same for any output.
void set_product_output(InferContext& context, std::int64_t output, std::int64_t depth,
                        const Dimension& columns);

}  // namespace ortool
