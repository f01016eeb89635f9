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

constexpr OpEntry tensor_entries[] = {
    op_entry<BitCast>(),
    op_entry<Cast>(),
    op_entry<CastLike>(),
    op_entry<CenterCropPad>(),
    op_entry<Compress>(),
    op_entry<Concat>(),
    op_entry<DepthToSpace>(),
    op_entry<Expand>(),
    op_entry<Flatten>(),
    op_entry<Gather>(),
    op_entry<GatherElements>(),
    op_entry<GatherND>(),
    op_entry<Identity>(),
    op_entry<ImageDecoder>(),
    op_entry<NonZero>(),
    op_entry<OneHot>(),
    op_entry<Pad>(),
    op_entry<Reshape>(),
    op_entry<Resize>(),
    op_entry<ReverseSequence>(),
    op_entry<Scatter>(),
    op_entry<ScatterElements>(),
    op_entry<ScatterND>(),
    op_entry<ShapeOp>(),
    op_entry<Size>(),
    op_entry<Slice>(),
    op_entry<SpaceToDepth>(),
    op_entry<Split>(),
    op_entry<Squeeze>(),
    op_entry<TensorScatter>(),
    op_entry<Tile>(),
    op_entry<TopK>(),
    op_entry<Transpose>(),
    op_entry<Trilu>(),
    op_entry<Unique>(),
    op_entry<Unsqueeze>(),
    op_entry<Upsample>(),
    op_entry<Where>(),
    op_entry<Reorder>(),
};

}  // namespace

std::span<const OpEntry> tensor_operators() {
  return tensor_entries;
}

}  // namespace ortool
