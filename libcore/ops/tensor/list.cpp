// The tensor operators, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/tensor/cast.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/ops/tensor/depth_to_space.hpp"
#include "libcore/ops/tensor/expand.hpp"
#include "libcore/ops/tensor/flatten.hpp"
#include "libcore/ops/tensor/gather.hpp"
#include "libcore/ops/tensor/identity.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/tensor/reshape.hpp"
#include "libcore/ops/tensor/shape_op.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/ops/tensor/split.hpp"
#include "libcore/ops/tensor/squeeze.hpp"
#include "libcore/ops/tensor/tile.hpp"
#include "libcore/ops/tensor/transpose.hpp"
#include "libcore/ops/tensor/where.hpp"

namespace ortool {
namespace {

constexpr OpEntry tensor_entries[] = {
    op_entry<Cast>(),   op_entry<CastLike>(),     op_entry<Concat>(),    op_entry<DepthToSpace>(),
    op_entry<Expand>(), op_entry<Flatten>(),      op_entry<Gather>(),    op_entry<Identity>(),
    op_entry<Pad>(),    op_entry<Reshape>(),      op_entry<ShapeOp>(),   op_entry<Size>(),
    op_entry<Slice>(),  op_entry<SpaceToDepth>(), op_entry<Split>(),     op_entry<Squeeze>(),
    op_entry<Tile>(),   op_entry<Transpose>(),    op_entry<Unsqueeze>(), op_entry<Where>(),
};

}  // namespace

std::span<const OpEntry> tensor_operators() {
  return tensor_entries;
}

}  // namespace ortool
