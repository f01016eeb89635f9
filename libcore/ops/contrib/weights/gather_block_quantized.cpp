// Schema of GatherBlockQuantized, and the shape of what is gathered.
#include "libcore/ops/contrib/weights/gather_block_quantized.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

constexpr TypeSet coded_floats =
    types_of({DataType::float8e4m3fn, DataType::float8e4m3fnuz, DataType::float8e5m2,
              DataType::float8e5m2fnuz, DataType::float4e2m1});
constexpr TypeSet coded_data =
    coded_floats | types_of({DataType::int4, DataType::uint4, DataType::uint8});

Dimension block_count(const Dimension& size, std::int64_t block_size) {
  return block_size == 0 ? Dimension(1) : floor_divide(size - 1, block_size) + 1;
}

}  // namespace

constinit const OpSchema GatherBlockQuantized::schema = {
    "GatherBlockQuantized",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"data", "T1"},
                 {"indices", "Tind"},
                 {"scales", "T2"},
                 {"zero_points", "T1", Formal::Count::optional}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"bits", AttributeKind::integer, false, 4},
                     {"block_size", AttributeKind::integer, false, 128},
                     {"gather_axis", AttributeKind::integer, false, 0},
                     {"quantize_axis", AttributeKind::integer, false, 1}},
      .types = {{"T1", coded_data}, {"T2", types::scales}, {"Tind", types::indices}}}}};

void GatherBlockQuantized::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  gather_axis = attributes.integer("gather_axis", 0);
  quantize_axis = attributes.integer("quantize_axis", 1);
  block_size = attributes.integer_in("block_size", 128, 0, most);
  if (block_size != 0 && (block_size < 16 || (block_size & (block_size - 1)) != 0)) {
    throw Error(ErrorCode::invalid,
                format("block_size is {} (expected a power of two, 16 or more, or 0)", block_size));
  }
  bits = attributes.integer("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8)
    throw Error(ErrorCode::invalid, format("bits is {} (expected 2, 4 or 8)", bits));
}

void GatherBlockQuantized::infer(InferContext& context) const {
  const DataType type = context.element(0);
  const bool is_float = coded_floats.contains(type);
  if (type != DataType::undefined && !is_float && block_size == 0) {
    throw Error(ErrorCode::invalid,
                "block_size is 0, the whole axis (expected a power of two for integers)");
  }
  if (is_float && context.has_input(3)) {
    throw Error(ErrorCode::invalid,
                "there are zero points (expected none: float8 and float4 data is symmetric)");
  }
  PartialShape data = context.shape(0);
  const PartialShape indices = context.shape(1);
  PartialShape result;
  if (data) {
    const auto rank = static_cast<std::int64_t>(data->size());
    const std::int64_t along = normalize_axis(gather_axis, rank);
    const std::int64_t blocked = normalize_axis(quantize_axis, rank);
    if (type == DataType::uint8) {
      if (along != 0)
        throw Error(ErrorCode::invalid,
                    format("gather_axis is {} (expected 0 for uint8 data)", gather_axis));
      if (bits < 8 && blocked == along)
        throw Error(
            ErrorCode::invalid,
            format("quantize_axis is {} (expected another than gather_axis)", quantize_axis));
      data->back() = data->back() * (8 / bits);
    }
    const PartialShape scales = context.shape(2);
    check_rank(context, 2, "scales", rank);
    for (std::int64_t i = 0; scales && i < rank; ++i) {
      const auto axis = static_cast<std::size_t>(i);
      const Dimension& found = (*scales)[axis];
      const bool is_one = is_float && found.is_known() && found.number() == 1;
      if (i == blocked)
        check_dimension("axis quantize_axis of 'scales'", found,
                        block_count((*data)[axis], block_size));
      else if (!is_one)
        check_dimension(format("axis {} of 'scales'", i), found, (*data)[axis]);
    }
    if (indices) {
      const auto position = data->begin() + along;
      result = Dimensions(data->begin(), position);
      result->insert(result->end(), indices->begin(), indices->end());
      result->insert(result->end(), position + 1, data->end());
      check_output_rank(result->size());
    }
  }
  context.set_output(0, context.element(2), std::move(result));
}

}  // namespace ortool
