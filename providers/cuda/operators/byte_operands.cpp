// Byte operands: packs constants on the host and values on the device.
#include "providers/cuda/operators/byte_operands.hpp"

#include <algorithm>
#include <cstring>

#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::cuda {
namespace {

constexpr std::int64_t word_bytes = 4;
constexpr std::int64_t vector_bytes = 16;
/// Sums start at a multiple of this.
constexpr std::int64_t part_alignment = 256;

std::int64_t round_up(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

std::int64_t sums_offset(const WeightLayout& layout) {
  return round_up(layout.padded_rows * layout.padded_size, part_alignment);
}

std::vector<std::byte> packed_bytes(const Tensor& content, const WeightLayout& layout) {
  const std::int64_t sums_at = sums_offset(layout);
  std::vector<std::byte> result(
      static_cast<std::size_t>(sums_at + layout.padded_rows * bytes_of(DataType::int32, 1)));
  const auto* from = reinterpret_cast<const std::uint8_t*>(content.bytes());
  const std::uint8_t flip = content.type() == DataType::uint8 ? 128 : 0;
  for (std::int64_t row = 0; row < layout.rows; ++row) {
    std::int32_t sum = 0;
    for (std::int64_t place = 0; place < layout.size; ++place) {
      const auto byte = static_cast<std::uint8_t>(from[layout.source(row, place)] ^ flip);
      const std::int64_t to = layout.has_rows_behind ? place * layout.padded_rows + row
                                                     : row * layout.padded_size + place;
      result[static_cast<std::size_t>(to)] = static_cast<std::byte>(byte);
      sum += static_cast<std::int8_t>(byte);
    }
    std::memcpy(result.data() + sums_at + row * static_cast<std::int64_t>(sizeof(sum)), &sum,
                sizeof(sum));
  }
  return result;
}

}  // namespace

bool is_byte(DataType type) {
  return type == DataType::int8 || type == DataType::uint8;
}

std::int64_t padded_columns(std::int64_t columns) {
  return round_up(columns, word_bytes);
}

std::int64_t padded_depth(std::int64_t depth) {
  return round_up(std::max<std::int64_t>(1, depth), vector_bytes);
}

PackedWeights pack_weights(DevicePlanBuilder& builder, const Node& node, std::int64_t input,
                           const WeightLayout& layout, std::vector<std::int64_t> form) {
  const Tensor* known = builder.known(node, input);
  if (known == nullptr)
    throw Error(ErrorCode::unsupported, "weights are computed during the run",
                "run the node on the cpu: --node-provider 'NAME=cpu'")
        .at_node(node.name(), node.op_type());
  const std::int64_t bytes =
      sums_offset(layout) + layout.padded_rows * bytes_of(DataType::int32, 1);
  const Value& value = *node.input(input);
  EncodedPointer memory;
  if (value.is_constant()) {
    const std::shared_ptr<const DeviceBuffer> buffer = builder.constants().derived(
        value, form, [&] { return packed_bytes(known->aligned(), layout); });
    memory = builder.command_list().add_fixed(buffer->data(), bytes);
  } else {
    const std::vector<std::byte> packed = packed_bytes(known->aligned(), layout);
    memory = builder.upload_constant(packed.data(), bytes);
  }
  return {memory, memory.plus(sums_offset(layout))};
}

namespace {

/// Rows of one matrix behind each other's, each padded.
EncodedPointer pack(DevicePlanBuilder& builder, PackBytesParams params, const DeviceTensor& from) {
  const DeviceTensor to =
      builder.make(DataType::int8, Shape{params.matrices, params.padded_rows, params.padded_size});
  params.from = static_cast<const std::uint8_t*>(from.pointer());
  params.to = static_cast<std::uint8_t*>(to.pointer());
  params.flip = from.type == DataType::uint8 ? 128 : 0;
  params.matrix_stride = params.rows * params.size;
  builder.launch_elements(KernelId::pack_bytes, to.count() / word_bytes, params,
                          {&params.from, &params.to});
  return to.memory;
}

}  // namespace

ByteRows pack_rows(DevicePlanBuilder& builder, const DeviceTensor& from, std::int64_t matrices,
                   std::int64_t rows, std::int64_t size, bool wants_sums) {
  // Several products may have the same first operand.
  const std::int64_t packed_kind = 2 * size;
  const std::int64_t sums_kind = 2 * size + 1;
  ByteRows result = {from.memory, size, {}};
  if (from.type != DataType::int8 || size == 0 || size % word_bytes != 0) {
    PackBytesParams params = {};
    params.matrices = matrices;
    params.rows = params.padded_rows = rows;
    params.size = params.row_stride = size;
    params.padded_size = padded_depth(size);
    params.element_stride = 1;
    DeviceTensor& packed = builder.derived(from, packed_kind);
    if (!packed.is_given())
      packed = {DataType::int8, Shape{matrices * rows, params.padded_size},
                pack(builder, params, from)};
    result = {packed.memory, params.padded_size, {}};
  }
  if (!wants_sums) return result;
  DeviceTensor& sums = builder.derived(from, sums_kind);
  if (!sums.is_given())
    sums = {DataType::int32, Shape{matrices * rows},
            sum_rows(builder, result.bytes, matrices * rows, result.padded_size)};
  result.sums = sums.memory;
  return result;
}

ByteRows pack_columns(DevicePlanBuilder& builder, const DeviceTensor& from, std::int64_t matrices,
                      std::int64_t columns, std::int64_t size, std::int64_t padded_size) {
  PackBytesParams params = {};
  params.matrices = matrices;
  params.rows = params.element_stride = columns;
  params.padded_rows = padded_columns(columns);
  params.size = size;
  params.padded_size = padded_size;
  params.row_stride = 1;
  const EncodedPointer bytes = pack(builder, params, from);
  return {bytes, padded_size, sum_rows(builder, bytes, matrices * params.padded_rows, padded_size)};
}

EncodedPointer sum_rows(DevicePlanBuilder& builder, EncodedPointer bytes, std::int64_t rows,
                        std::int64_t padded_size) {
  const DeviceTensor sums = builder.make(DataType::int32, Shape{rows});
  SumBytesParams params = {};
  params.from = static_cast<const std::int8_t*>(bytes.as_pointer());
  params.to = static_cast<std::int32_t*>(sums.pointer());
  params.rows = rows;
  params.size = padded_size;
  constexpr int threads = 64;
  builder.launch_rows(KernelId::sum_bytes, rows, threads, params, {&params.from, &params.to});
  return sums.memory;
}

void multiply_bytes(DevicePlanBuilder& builder, const ByteProduct& product) {
  ProductDesc desc;
  desc.type = static_cast<std::int32_t>(DataType::int8);
  desc.m = product.m;
  desc.n = product.n;
  desc.k = product.k;
  desc.batch = product.matrices;
  desc.transpose_b = true;
  desc.a_stride = product.a_stride;
  desc.b_stride = product.b_stride;
  try {
    builder.command_list().multiply(builder.device().make_product(desc),
                                    {product.a.as_pointer(), product.b.as_pointer(), nullptr,
                                     nullptr, product.out.as_pointer(), nullptr});
    return;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
  }
  MultiplyBytesParams params = {};
  params.a = static_cast<const std::int8_t*>(product.a.as_pointer());
  params.b = static_cast<const std::int8_t*>(product.b.as_pointer());
  params.out = static_cast<std::int32_t*>(product.out.as_pointer());
  params.matrices = product.matrices;
  params.m = product.m;
  params.n = product.n;
  params.k = product.k;
  params.a_stride = product.a_stride;
  params.b_stride = product.b_stride;
  builder.launch_elements(KernelId::multiply_bytes, product.matrices * product.m * product.n,
                          params, {&params.a, &params.b, &params.out});
}

ZeroPointList zero_points(DevicePlanBuilder& builder, const Node& node, std::int64_t input,
                          DataType type) {
  const DeviceTensor zeros = builder.input(node, input);
  const bool has_any = zeros.is_given() && zeros.count() > 0;
  return {has_any ? zeros.pointer() : nullptr, static_cast<std::int32_t>(type),
          has_any && zeros.count() > 1 ? 1 : 0};
}

bool are_zero(const DevicePlanBuilder& builder, const Node& node, std::int64_t input,
              DataType type) {
  const double wanted = type == DataType::uint8 ? 128 : 0;
  if (!builder.has_input(node, input)) return wanted == 0;
  if (!node.input(input)->is_constant()) return false;
  const Tensor* known = builder.known(node, input);
  if (known == nullptr) return false;
  const Tensor content = known->aligned();
  for (std::int64_t i = 0; i < content.element_count(); ++i) {
    if (element_as_double(content, i) != wanted) return false;
  }
  return content.element_count() > 0 || wanted == 0;
}

std::vector<float> known_floats(const DevicePlanBuilder& builder, const Node& node,
                                std::int64_t input) {
  const Tensor* known = builder.known(node, input);
  if (known == nullptr)
    throw Error(ErrorCode::unsupported, format("input {} is computed during the run", input),
                "make it a constant")
        .at_node(node.name(), node.op_type());
  const Tensor content = known->aligned();
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < content.element_count(); ++i)
    numbers.push_back(static_cast<float>(element_as_double(content, i)));
  return numbers;
}

DeviceTensor exact_floats(DevicePlanBuilder& builder, const Node& node, std::int64_t input) {
  const Value& value = *node.input(input);
  const Tensor* known = value.is_constant() ? builder.known(node, input) : nullptr;
  if (known == nullptr) return builder.stored_input(node, input);
  constexpr std::int64_t form = -1;
  const std::shared_ptr<const DeviceBuffer> buffer =
      builder.constants().derived(value, {form}, [&] {
        const std::span<const std::byte> bytes(known->bytes(),
                                               static_cast<std::size_t>(known->size_bytes()));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
      });
  return {known->type(), known->shape(),
          builder.command_list().add_fixed(buffer->data(), buffer->bytes())};
}

const float* upload_floats(DevicePlanBuilder& builder, const std::vector<float>& numbers) {
  return static_cast<const float*>(builder.upload_bytes(
      numbers.data(), static_cast<std::int64_t>(numbers.size() * sizeof(float))));
}

std::vector<float> column_scales(float a, const std::vector<float>& b, float out,
                                 std::int64_t columns) {
  std::vector<float> scales;
  for (std::int64_t i = 0; i < columns; ++i)
    scales.push_back(a * b[b.size() > 1 ? static_cast<std::size_t>(i) : 0] / out);
  return scales;
}

ByteBounds bounds_of(DataType type) {
  return type == DataType::int8 ? ByteBounds{-128, 127} : ByteBounds{0, 255};
}

bool fold_clip(const DevicePlanBuilder& builder, FusedNodes fused_nodes, ByteBounds& bounds) {
  if (fused_nodes.empty() || fused_nodes.front()->op_type() != "Clip") return false;
  const Node& clip = *fused_nodes.front();
  const auto bound = [&](std::int64_t input, std::int32_t otherwise) {
    const Tensor* content = builder.known(clip, input);
    return content == nullptr ? otherwise
                              : static_cast<std::int32_t>(element_as_double(content->aligned(), 0));
  };
  // Where the lower bound is above the upper one, the latter counts.
  const std::int32_t low = bound(1, bounds.low);
  const std::int32_t high = bound(2, bounds.high);
  bounds = {std::min(std::max(bounds.low, low), high), std::min(bounds.high, high)};
  return true;
}

std::string refuses_computed(const Node& node, std::uint32_t inputs) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const bool is_wanted = i < 32 && (inputs >> i & 1U) != 0;
    if (is_wanted && node.input(i) != nullptr && !node.input(i)->is_constant())
      return format("input {} is not constant", i);
  }
  return {};
}

std::string refuses_list(const Node& node, std::int64_t input, bool allows_list,
                         std::string_view what) {
  const Value* value = input < node.input_count() ? node.input(input) : nullptr;
  if (value == nullptr || !value->type().is_tensor()) return {};
  const std::int64_t rank = rank_of(value);
  if (rank == 0) return {};
  const auto shape = to_known(value->type().shape);
  if (shape && shape->element_count() == 1) return {};
  if (allows_list && rank == 1) return {};
  return format("{} vary along other axes than the columns", what);
}

}  // namespace ortool::cuda
