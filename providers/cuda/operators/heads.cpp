// Heads: strides of the layouts, and parameters of attention and rotation.
#include "providers/cuda/operators/heads.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/format.hpp"

namespace ortool::cuda {
namespace {

constexpr std::int64_t max_size = 1024;
constexpr std::int64_t tile_rows = 32;
constexpr std::int64_t tile_size = 128;
constexpr std::int64_t few_queries = 8;
constexpr int attention_block = 128;

}  // namespace

HeadsTensor packed_heads(const DeviceTensor& tensor, std::int64_t heads) {
  HeadsTensor result;
  const Shape& shape = tensor.shape;
  result.tensor = tensor;
  result.batch = shape[0];
  result.heads = heads;
  result.length = shape[1];
  result.size = shape[2] / heads;
  result.strides[0] = shape[1] * shape[2];
  result.strides[1] = result.size;
  result.strides[2] = shape[2];
  result.is_packed = true;
  return result;
}

HeadsTensor split_heads(const DeviceTensor& tensor) {
  HeadsTensor result;
  const Shape& shape = tensor.shape;
  result.tensor = tensor;
  result.batch = shape[0];
  result.heads = shape[1];
  result.length = shape[2];
  result.size = shape[3];
  result.strides[0] = shape[1] * shape[2] * shape[3];
  result.strides[1] = shape[2] * shape[3];
  result.strides[2] = shape[3];
  return result;
}

HeadsTensor interleaved_heads(const DeviceTensor& tensor, std::int64_t part) {
  HeadsTensor result;
  const Shape& shape = tensor.shape;
  result.tensor = tensor;
  result.batch = shape[0];
  result.length = shape[1];
  result.heads = shape[2];
  result.size = shape[4];
  result.offset = part * shape[4];
  result.strides[0] = shape.product(1, 5);
  result.strides[1] = shape[3] * shape[4];
  result.strides[2] = shape.product(2, 5);
  return result;
}

HeadsTensor heads_of(const DeviceTensor& tensor, std::int64_t heads) {
  return tensor.shape.rank() == 3 ? packed_heads(tensor, heads) : split_heads(tensor);
}

HeadsTensor part_of(const HeadsTensor& heads, std::int64_t first, std::int64_t count) {
  HeadsTensor result = heads;
  result.offset += first * heads.strides[1];
  result.heads = count;
  return result;
}

AttentionCall::AttentionCall(DevicePlanBuilder& builder, const HeadsTensor& query,
                             const HeadsTensor& key, const HeadsTensor& value)
    : builder_(builder), type_(query.tensor.type) {
  if (key.heads != value.heads || key.length != value.length || key.batch != query.batch ||
      value.batch != query.batch || key.size != query.size || key.heads == 0 ||
      query.heads % key.heads != 0)
    throw Error(ErrorCode::invalid,
                "queries, keys and values differ in batch, heads, length or size");
  if (query.size > max_size || value.size > max_size)
    throw Error(ErrorCode::unsupported,
                format("heads have {} elements (the cuda provider takes {} at most)",
                       std::max(query.size, value.size), max_size));
  params.query = query.pointer();
  params.key = key.pointer();
  params.value = value.pointer();
  params.type = query.tensor.element();
  params.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(key.size)));
  params.left_window = -1;
  params.right_window = -1;
  params.batch = query.batch;
  params.query_heads = query.heads;
  params.shared_heads = key.heads;
  params.queries = query.length;
  params.keys = key.length;
  params.size = query.size;
  params.value_size = value.size;
  std::copy_n(query.strides, 3, params.query_strides);
  std::copy_n(key.strides, 3, params.key_strides);
  std::copy_n(value.strides, 3, params.value_strides);
}

void AttentionCall::set_mask(const DeviceTensor& mask) {
  if (!mask.is_given()) return;
  const Shape& shape = mask.shape;
  if (shape.rank() == 0 || shape.rank() > 4 || shape[shape.rank() - 1] > params.keys)
    throw Error(ErrorCode::invalid,
                format("a mask is of rank {} with {} columns (expected rank 1 to 4 and at most the "
                       "{} keys)",
                       shape.rank(), shape.rank() == 0 ? 0 : shape[shape.rank() - 1], params.keys));
  params.mask = mask.pointer();
  params.mask_type = mask.element();
  params.mask_keys = shape[shape.rank() - 1];
  std::int64_t stride = params.mask_keys;
  for (std::int64_t i = 0; i + 1 < shape.rank(); ++i) {
    const std::int64_t size = shape[shape.rank() - 2 - i];
    params.mask_strides[2 - i] = size == 1 ? 0 : stride;
    stride *= size;
  }
}

void AttentionCall::set_lengths(DevicePlanBuilder& builder, const Node& node,
                                const DeviceTensor& lengths, std::int64_t offset) {
  params.lengths = lengths.pointer();
  params.length_type = lengths.element();
  params.length_offset = offset;
  params.status = static_cast<std::int32_t*>(builder.status());
  params.status_value = builder.status_of(node);
}

void AttentionCall::set_key_mask(DevicePlanBuilder& builder, const DeviceTensor& mask,
                                 float filter) {
  if (mask.shape != Shape{params.batch, params.keys})
    throw Error(ErrorCode::invalid, format("the mask is {} (expected {} x {})",
                                           mask.shape.to_string(), params.batch, params.keys));
  const DeviceTensor hidden = builder.make(DataType::boolean, mask.shape);
  const DeviceTensor addends = builder.make(DataType::float32, mask.shape);
  const DeviceTensor zero = builder.upload_float(0);
  Chain test(builder, mask, mask.shape);
  test.apply(ElementOp::sign);
  test.apply(ElementOp::clip, 0, 1);
  test.store(hidden);
  Chain choose(builder, hidden, mask.shape);
  choose.select(zero, builder.upload_float(filter));
  choose.store(addends);
  params.key_mask = static_cast<const float*>(addends.pointer());
  params.key_mask_strides[0] = params.keys;
}

bool AttentionCall::has_aligned_rows() const {
  constexpr std::int64_t vector_bytes = 16;
  constexpr std::int64_t vector_elements = 8;
  bool is_aligned = true;
  for (const void* pointer : {params.query, params.key, params.value}) {
    const EncodedPointer place =
        EncodedPointer::from_bits(reinterpret_cast<std::uint64_t>(pointer));
    is_aligned = is_aligned && place.offset() % vector_bytes == 0;
  }
  for (int i = 0; i < 3; ++i) {
    for (const std::int64_t stride :
         {params.query_strides[i], params.key_strides[i], params.value_strides[i]})
      is_aligned = is_aligned && stride % vector_elements == 0;
  }
  return is_aligned;
}

void AttentionCall::launch(const DeviceTensor& output, bool is_packed) {
  if (output.count() == 0) return;
  const HeadsTensor to = is_packed ? packed_heads(output, params.query_heads) : split_heads(output);
  params.output = to.pointer();
  std::copy_n(to.strides, 3, params.output_strides);
  const bool has_tiles = params.queries >= few_queries && params.size <= tile_size &&
                         params.value_size <= tile_size &&
                         (type_ == DataType::float32 || type_ == DataType::float16);
  const bool is_half = type_ == DataType::float16;
  KernelId kernel = kernel_for(type_, KernelId::attention_row_f32, KernelId::attention_row_f16,
                               KernelId::attention_row_any, KernelId::attention_row_any);
  std::int64_t blocks = params.batch * params.query_heads * params.queries;
  if (has_tiles) {
    blocks = params.batch * params.query_heads * ((params.queries + tile_rows - 1) / tile_rows);
    const bool is_small = params.size <= tile_size / 2 && params.value_size <= tile_size / 2;
    kernel = is_small
                 ? (is_half ? KernelId::attention_tile_64_f16 : KernelId::attention_tile_64_f32)
                 : (is_half ? KernelId::attention_tile_128_f16 : KernelId::attention_tile_128_f32);
  }
  const bool has_tensor_tiles =
      has_tiles && is_half && builder_.constants().settings().has_tensor_attention;
  if (has_tensor_tiles) {
    constexpr std::int64_t tensor_rows = 64;
    blocks = params.batch * params.query_heads * ((params.queries + tensor_rows - 1) / tensor_rows);
    const bool is_small = params.size <= tile_size / 2 && params.value_size <= tile_size / 2;
    kernel = is_small ? KernelId::attention_tensor_64 : KernelId::attention_tensor_128;
    params.is_aligned = has_aligned_rows() ? 1 : 0;
  }
  builder_.launch_rows(kernel, blocks, attention_block, params,
                       {&params.query, &params.key, &params.value, &params.output, &params.mask,
                        &params.key_mask, &params.lengths, &params.sinks, &params.status});
}

RotaryCall::RotaryCall(DevicePlanBuilder& builder, const Node& node, const HeadsTensor& heads,
                       const DeviceTensor& cosines, const DeviceTensor& sines)
    : builder_(builder), heads_(heads) {
  params.input = heads.pointer();
  params.cosines = cosines.pointer();
  params.sines = sines.pointer();
  params.status = static_cast<std::int32_t*>(builder.status());
  params.status_value = builder.status_of(node);
  params.type = heads.tensor.element();
  params.batch = heads.batch;
  params.length = heads.length;
  params.heads = heads.heads;
  params.size = heads.size;
  std::copy_n(&heads.strides[0], 1, &params.in_strides[0]);
  params.in_strides[1] = heads.strides[2];
  params.in_strides[2] = heads.strides[1];
}

void RotaryCall::launch_to(const DeviceTensor& output, bool is_packed) {
  if (output.count() == 0) return;
  const HeadsTensor to = is_packed ? packed_heads(output, params.heads) : split_heads(output);
  params.output = to.pointer();
  params.out_strides[0] = to.strides[0];
  params.out_strides[1] = to.strides[2];
  params.out_strides[2] = to.strides[1];
  const KernelId kernel =
      heads_.tensor.type == DataType::float32 ? KernelId::rotary_f32 : KernelId::rotary_any;
  builder_.launch_elements(kernel, output.count(), params,
                           {&params.input, &params.cosines, &params.sines, &params.positions,
                            &params.lengths, &params.output, &params.status});
}

HeadsTensor RotaryCall::launch() {
  const DeviceTensor output = builder_.make(
      heads_.tensor.type, Shape{heads_.batch, heads_.length, heads_.heads * heads_.size});
  launch_to(output, true);
  return packed_heads(output, heads_.heads);
}

}  // namespace ortool::cuda
