// Dynamically quantized recurrent layers: packed factors are int8 panels and per-column arrays.
#include "kernels/cpu/recurrent/dynamic_quantized_recurrent.hpp"

#include <algorithm>

#include "kernels/cpu/elementwise/quantize_linear.hpp"
#include "kernels/cpu/gemm/int8/matmul.hpp"

namespace ortool::cpu {
namespace {

std::int64_t whole_lines(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// Byte offsets within one packed factor.
struct FactorPlaces {
  std::int64_t terms;  ///< int32: column sum minus depth × zero point
  std::int64_t zeros;  ///< int32
  std::int64_t scales;
  std::int64_t has_zeros;  ///< an int32
  std::int64_t bytes;

  FactorPlaces(std::int64_t depth, std::int64_t columns, Isa isa) {
    const std::int64_t list = whole_lines(columns * 4);
    terms = packed_int8_matrix_bytes(depth, columns, isa);
    zeros = terms + list;
    scales = zeros + list;
    has_zeros = scales + list;
    bytes = has_zeros + 64;
  }
};

/// Byte offsets within the scratch of a product.
struct ProductPlaces {
  std::int64_t offsets;
  std::int64_t scales;
  std::int64_t product;
  std::int64_t bytes;

  ProductPlaces(const Int8MatMulSizes& sizes, Isa isa) {
    offsets = whole_lines(sizes.m * sizes.k);
    scales = offsets + whole_lines(sizes.n * 4);
    product = scales + whole_lines(sizes.n * 4);
    bytes = product + int8_matmul_workspace_bytes(sizes, isa);
  }
};

/// Packs one direction's weights.
void pack_factor(std::int64_t depth, std::int64_t columns, const QuantizedRecurrentFactor& factor,
                 std::int64_t direction, Isa isa, std::byte* out) {
  const FactorPlaces places(depth, columns, isa);
  const auto flip = static_cast<std::uint8_t>(factor.is_signed ? 0 : 128);
  auto* terms = reinterpret_cast<std::int32_t*>(out + places.terms);
  auto* zeros = reinterpret_cast<std::int32_t*>(out + places.zeros);
  auto* scales = reinterpret_cast<float*>(out + places.scales);
  auto* has_zeros = reinterpret_cast<std::int32_t*>(out + places.has_zeros);
  pack_int8_matrix(depth, columns,
                   {.data = factor.codes + direction * depth * columns, .flip = flip}, isa, out,
                   terms);
  // The count tells per-column from per-direction values, since columns outnumber directions.
  const auto place = [&](std::int64_t count, std::int64_t column) {
    return count >= columns ? direction * columns + column : direction;
  };
  *has_zeros = 0;
  for (std::int64_t i = 0; i < columns; ++i) {
    const std::int64_t at = place(factor.zero_point_count, i);
    const std::uint8_t zero = factor.zero_points != nullptr ? factor.zero_points[at] : 0;
    zeros[i] = static_cast<std::int8_t>(zero ^ flip);
    if (zeros[i] != 0) *has_zeros = 1;
    terms[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(terms[i]) -
                                         static_cast<std::uint32_t>(depth) *
                                             static_cast<std::uint32_t>(zeros[i]));
    scales[i] = factor.scales[place(factor.scale_count, i)];
  }
}

}  // namespace

std::int64_t packed_dynamic_bytes(const RecurrentLayerParams& params, std::int64_t input,
                                  std::int64_t hidden, Isa isa) {
  const std::int64_t columns = params.gates() * hidden;
  return params.directions *
         (FactorPlaces(input, columns, isa).bytes + FactorPlaces(hidden, columns, isa).bytes);
}

void pack_dynamic(const RecurrentLayerParams& params, std::int64_t input, std::int64_t hidden,
                  const QuantizedRecurrentFactor& w, const QuantizedRecurrentFactor& r, Isa isa,
                  std::byte* out) {
  const std::int64_t columns = params.gates() * hidden;
  for (std::int64_t direction = 0; direction < params.directions; ++direction) {
    pack_factor(input, columns, w, direction, isa, out);
    out += FactorPlaces(input, columns, isa).bytes;
    pack_factor(hidden, columns, r, direction, isa, out);
    out += FactorPlaces(hidden, columns, isa).bytes;
  }
}

std::int64_t DynamicRecurrentProducts::workspace_bytes(RecurrentFactor factor,
                                                       std::int64_t rows) const {
  return ProductPlaces({rows, params_.gates() * hidden_, depth(factor)}, isa_).bytes;
}

void DynamicRecurrentProducts::multiply(RecurrentFactor factor, std::int64_t direction,
                                        std::int64_t rows, const float* from, const float* bias,
                                        float* out, void* workspace, Workers& workers) const {
  const Int8MatMulSizes sizes{rows, params_.gates() * hidden_, depth(factor)};
  const FactorPlaces input(input_, sizes.n, isa_);
  const FactorPlaces state(hidden_, sizes.n, isa_);
  const bool is_input = factor == RecurrentFactor::input;
  const FactorPlaces& places = is_input ? input : state;
  const std::byte* packed =
      packed_ + direction * (input.bytes + state.bytes) + (is_input ? 0 : input.bytes);
  const ProductPlaces space(sizes, isa_);
  auto* const scratch = static_cast<std::byte*>(workspace);
  auto* codes = reinterpret_cast<std::uint8_t*>(scratch);
  float scale = 1.0F;
  std::uint8_t zero = 0;
  dynamic_quantize(from, rows * sizes.k, codes, &scale, &zero, isa_, workers);
  const auto* terms = reinterpret_cast<const std::int32_t*>(packed + places.terms);
  const auto* weight_scales = reinterpret_cast<const float*>(packed + places.scales);
  auto* offsets = reinterpret_cast<std::int32_t*>(scratch + space.offsets);
  auto* scales = reinterpret_cast<float*>(scratch + space.scales);
  for (std::int64_t i = 0; i < sizes.n; ++i) {
    offsets[i] = static_cast<std::int32_t>(0U - zero * static_cast<std::uint32_t>(terms[i]));
    scales[i] = scale * weight_scales[i];
  }
  Int8MatMulZeros zeros;
  if (*reinterpret_cast<const std::int32_t*>(packed + places.has_zeros) != 0)
    zeros.columns = reinterpret_cast<const std::int32_t*>(packed + places.zeros);
  Epilogue epilogue;
  epilogue.offsets = offsets;
  epilogue.scales = scales;
  if (bias != nullptr) epilogue.addend = Addend::per_column;
  epilogue.added = bias;
  int8_matmul(sizes, {codes}, packed, zeros, out, epilogue, isa_, scratch + space.product, workers);
}

}  // namespace ortool::cpu
