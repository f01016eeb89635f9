// The tensor operators, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/tensor/bit_cast.hpp"
#include "libcore/ops/tensor/cast.hpp"
#include "libcore/ops/tensor/center_crop_pad.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/ops/tensor/image_decoder.hpp"
#include "libcore/ops/tensor/indexing/compress.hpp"
#include "libcore/ops/tensor/indexing/gather.hpp"
#include "libcore/ops/tensor/indexing/gather_elements.hpp"
#include "libcore/ops/tensor/indexing/gather_nd.hpp"
#include "libcore/ops/tensor/indexing/non_zero.hpp"
#include "libcore/ops/tensor/indexing/one_hot.hpp"
#include "libcore/ops/tensor/indexing/scatter_elements.hpp"
#include "libcore/ops/tensor/indexing/scatter_nd.hpp"
#include "libcore/ops/tensor/indexing/tensor_scatter.hpp"
#include "libcore/ops/tensor/indexing/top_k.hpp"
#include "libcore/ops/tensor/indexing/unique.hpp"
#include "libcore/ops/tensor/indexing/where.hpp"
#include "libcore/ops/tensor/layout/depth_to_space.hpp"
#include "libcore/ops/tensor/layout/expand.hpp"
#include "libcore/ops/tensor/layout/flatten.hpp"
#include "libcore/ops/tensor/layout/identity.hpp"
#include "libcore/ops/tensor/layout/reorder.hpp"
#include "libcore/ops/tensor/layout/reshape.hpp"
#include "libcore/ops/tensor/layout/shape_op.hpp"
#include "libcore/ops/tensor/layout/squeeze.hpp"
#include "libcore/ops/tensor/layout/transpose.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/tensor/resize.hpp"
#include "libcore/ops/tensor/reverse_sequence.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/ops/tensor/split.hpp"
#include "libcore/ops/tensor/tile.hpp"
#include "libcore/ops/tensor/trilu.hpp"

namespace ortool {
namespace {

using enum OpTrait;
using Role = QuantizeRole;

constexpr OpEntry tensor_entries[] = {
    op_entry<BitCast>({.set = {elementwise, own_result_type}}),
    op_entry<Cast>({.set = {elementwise, own_result_type, infers_elements}}),
    op_entry<CastLike>({.set = {elementwise, own_result_type}, .element_inputs = 1}),
    op_entry<CenterCropPad>(),
    op_entry<Compress>(),
    op_entry<Concat>(
        {.set = {forwards_single_operand, keeps_zero, infers_elements}, .role = Role::concat}),
    op_entry<DepthToSpace>({.set = {data_movement}, .role = Role::move}),
    op_entry<Expand>({.set = {data_movement, infers_elements}, .role = Role::move, .shape = 1}),
    op_entry<Flatten>({.set = {data_movement, reshapes}, .role = Role::move}),
    op_entry<Gather>({.set = {data_movement, infers_elements}, .role = Role::move, .indices = 1}),
    op_entry<GatherElements>({.set = {data_movement}, .role = Role::move, .indices = 1}),
    op_entry<GatherND>({.set = {data_movement, infers_elements}, .role = Role::move, .indices = 1}),
    op_entry<Identity>({.set = {data_movement, keeps_axes, scales_with_input, infers_elements},
                        .role = Role::move}),
    op_entry<ImageDecoder>(),
    op_entry<NonZero>({.set = {nonnegative}}),
    op_entry<OneHot>(),
    op_entry<Pad>({.set = {keeps_axes}, .role = Role::move}),
    op_entry<Reshape>(
        {.set = {data_movement, reshapes, infers_elements}, .role = Role::move, .shape = 1}),
    op_entry<Resize>({.set = {keeps_axes, scales_with_input, computes_in_float32},
                      .role = Role::mean,
                      .shape = 3}),
    op_entry<ReverseSequence>(),
    op_entry<Scatter>({.indices = 1}),
    op_entry<ScatterElements>({.indices = 1}),
    op_entry<ScatterND>({.indices = 1}),
    op_entry<ShapeOp>({.set = {nonnegative}}),
    op_entry<Size>({.set = {nonnegative}}),
    op_entry<Slice>({.set = {data_movement, keeps_axes, scales_with_input, infers_elements},
                     .role = Role::move}),
    op_entry<SpaceToDepth>({.set = {data_movement, channels_second}, .role = Role::move}),
    op_entry<Split>({.set = {data_movement, forwards_single_operand}, .role = Role::move}),
    op_entry<Squeeze>({.set = {data_movement, reshapes, infers_elements}, .role = Role::move}),
    op_entry<TensorScatter>(),
    op_entry<Tile>({.set = {data_movement}, .role = Role::move, .shape = 1}),
    op_entry<TopK>({.shape = 1}),
    op_entry<Transpose>({.set = {data_movement}, .role = Role::move}),
    op_entry<Trilu>(),
    op_entry<Unique>(),
    op_entry<Unsqueeze>({.set = {data_movement, reshapes, infers_elements}, .role = Role::move}),
    op_entry<Upsample>({.set = {keeps_axes, computes_in_float32}, .role = Role::mean}),
    op_entry<Where>({.set = {elementwise}}),
    op_entry<Reorder>(),
};

}  // namespace

std::span<const OpEntry> tensor_operators() {
  return tensor_entries;
}

}  // namespace ortool
