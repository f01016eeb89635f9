// Schemas of ONNX Runtime's RotaryEmbedding and MRotaryEmbedding, and checks of their operands.
#include "libcore/ops/contrib/attention/rotary_embedding.hpp"

#include <algorithm>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_heads = std::int64_t{1} << 31;

void check_rotary(const InferContext& context, const ContribRotaryEmbedding& op) {
  const std::int64_t rank = context.rank(0);
  if (rank >= 0 && rank != 3 && rank != 4) {
    throw Error(ErrorCode::invalid, format("'input' is of rank {} (expected 3 or 4)", rank));
  }
  check_rank(context, 2, "cos_cache", 2);
  check_rank(context, 3, "sin_cache", 2);
  for (std::int64_t axis = 0; axis < 2; ++axis) {
    check_dimension(format("dimension {} of 'sin_cache'", axis), dimension_at(context, 3, axis),
                    dimension_at(context, 2, axis));
  }
  if (op.rotated_size > 0) {
    check_dimension("the width of 'cos_cache'", dimension_at(context, 2, 1),
                    Dimension(op.rotated_size / 2));
  } else if (rank == 4) {
    check_dimension("the width of 'cos_cache'", dimension_at(context, 2, 1),
                    floor_divide(dimension_at(context, 0, 3), 2));
  }
}

}  // namespace

constinit const OpSchema ContribRotaryEmbedding::schema = {
    "RotaryEmbedding",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"}, {"position_ids", "M"}, {"cos_cache", "T"}, {"sin_cache", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"interleaved", AttributeKind::integer, false, 0},
                     {"is_packed_batching", AttributeKind::integer, false, 0},
                     {"num_heads", AttributeKind::integer, false, 0},
                     {"rotary_embedding_dim", AttributeKind::integer, false, 0},
                     {"scale", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::scales}, {"M", types::int64_only}}}}};

void ContribRotaryEmbedding::read(AttributeReader& attributes, int) {
  interleaved = attributes.flag("interleaved");
  heads = attributes.integer_in("num_heads", 0, 0, max_heads);
  rotated_size = attributes.integer_in("rotary_embedding_dim", 0, 0, max_heads);
  if (rotated_size % 2 != 0) {
    throw Error(ErrorCode::invalid,
                format("rotary_embedding_dim is {} (expected an even number)", rotated_size));
  }
  // Neither has an effect in ONNX Runtime.
  attributes.ignore("is_packed_batching");
  attributes.ignore("scale");
}

void ContribRotaryEmbedding::infer(InferContext& context) const {
  check_rotary(context, *this);
  const std::int64_t rank = context.rank(1);
  if (rank >= 0 && rank != 1 && rank != 2) {
    throw Error(ErrorCode::invalid, format("'position_ids' is of rank {} (expected 1 or 2)", rank));
  }
  if (rank == 1) {
    check_dimension("the length of 'position_ids'", dimension_at(context, 1, 0), Dimension(1));
  }
  context.set_output(0, context.element(0), context.shape(0));
}

constinit const OpSchema MRotaryEmbedding::schema = {
    "MRotaryEmbedding",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"}, {"position_ids", "M"}, {"cos_cache", "T"}, {"sin_cache", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"interleaved", AttributeKind::integer, false, 0},
                     {"is_packed_batching", AttributeKind::integer, false, 0},
                     {"mrope_layout", AttributeKind::integer, false, 0},
                     {"mrope_section", AttributeKind::integers, true},
                     {"num_heads", AttributeKind::integer, false, 0},
                     {"rotary_embedding_dim", AttributeKind::integer, false, 0},
                     {"scale", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::scales}, {"M", types::int64_only}}}}};

void MRotaryEmbedding::read(AttributeReader& attributes, int version) {
  ContribRotaryEmbedding::read(attributes, version);
  takes_turns = attributes.integer_in("mrope_layout", 0, 0, 1) == 1;
  const std::vector<std::int64_t> given =
      attributes.find_integers("mrope_section").value_or(std::vector<std::int64_t>());
  const bool fits = given.size() == 3 && std::all_of(given.begin(), given.end(), [](auto each) {
                      return each >= 0 && each <= max_heads;
                    });
  if (!fits) {
    throw Error(ErrorCode::invalid,
                "attribute 'mrope_section' does not hold 3 numbers of angles (expected those of "
                "time, height and width)");
  }
  std::copy(given.begin(), given.end(), sections.begin());
}

constinit const OpSchema GemmaRotaryEmbedding::schema = {
    "GemmaRotaryEmbedding",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"emb", "U"}, {"q", "T"}, {"q_rot", "T"}, {"k", "T"}, {"k_rot", "T"}},
      .outputs = {{"output1", "T"}, {"output2", "T"}},
      .types = {{"T", types_of({DataType::float16})}, {"U", types::float32_only}}}}};

void GemmaRotaryEmbedding::infer(InferContext& context) const {
  check_rank(context, 0, "emb", 3);
  for (std::int64_t i = 1; i < 5; ++i) check_rank(context, i, "q, q_rot, k or k_rot", 4);
  context.set_output(0, context.element(1), context.shape(1));
  context.set_output(1, context.element(3), context.shape(3));
}

std::int64_t MRotaryEmbedding::stream_of(std::int64_t angle) const {
  if (takes_turns) {
    const std::int64_t stream = angle % 3;
    return stream > 0 && angle < sections[static_cast<std::size_t>(stream)] * 3 ? stream : 0;
  }
  if (angle < sections[0]) return 0;
  return angle < sections[0] + sections[1] ? 1 : 2;
}

void MRotaryEmbedding::infer(InferContext& context) const {
  check_rotary(context, *this);
  check_rank(context, 1, "position_ids", 3);
  check_dimension("the first dimension of 'position_ids'", dimension_at(context, 1, 0),
                  Dimension(3));
  if (context.rank(0) == 3 && heads == 0) {
    throw Error(ErrorCode::invalid, "'num_heads' is not given, which an input of rank 3 needs");
  }
  check_dimension("the width of 'cos_cache'", dimension_at(context, 2, 1),
                  Dimension(sections[0] + sections[1] + sections[2]));
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
