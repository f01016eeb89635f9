// Schemas and shapes of ai.onnx.contrib's operators on ragged tensors, segments and matrices.
#include "libcore/ops/contrib/text/segment_ops.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool::extensions {

constinit const OpSchema RaggedTensorToDense::schema = {
    "RaggedTensorToDense",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"shape", "tensor(int64)"},
                 {"values", "tensor(int64)"},
                 {"default_value", "tensor(int64)"},
                 {"row_splits", "tensor(int64)"}},
      .outputs = {{"output", "tensor(int64)"}},
      .attributes = {{"missing_value", AttributeKind::integer, false, -1}}}}};

constinit const OpSchema StringRaggedTensorToDense::schema = {
    "StringRaggedTensorToDense",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"shape", "tensor(int64)"},
                 {"values", "tensor(string)"},
                 {"row_splits", "T1"},
                 {"default_value", "T2"}},
      .outputs = {{"output", "tensor(string)"}},
      .types = {{"T1", types_of({DataType::int64, DataType::string})},
                {"T2", types_of({DataType::int64, DataType::string})}}}}};

constinit const OpSchema RaggedTensorToSparse::schema = {
    "RaggedTensorToSparse",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"n_elements", "tensor(int64)"}},
      .outputs = {{"indices", "tensor(int64)"}, {"shape", "tensor(int64)"}}}}};

constinit const OpSchema SegmentSum::schema = {
    "SegmentSum",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"data", "tensor(float)"}, {"segment_ids", "tensor(int64)"}},
      .outputs = {{"output", "tensor(float)"}}}}};

constinit const OpSchema SegmentExtraction::schema = {
    "SegmentExtraction",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"input", "tensor(int64)"}},
      .outputs = {{"position", "tensor(int64)"}, {"value", "tensor(int64)"}}}}};

constinit const OpSchema Inverse::schema = {
    "Inverse",
    extensions_domain,
    {{.since = 1, .inputs = {{"X", "tensor(float)"}}, .outputs = {{"Y", "tensor(float)"}}}}};

constinit const OpSchema NegPos::schema = {
    "NegPos",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"X", "tensor(float)"}},
      .outputs = {{"neg", "tensor(float)"}, {"pos", "tensor(float)"}}}}};

void RaggedTensorToDense::read(AttributeReader& attributes, int) {
  // What fills rows up is input 2.
  attributes.ignore("missing_value");
}

void RaggedTensorToDense::infer(InferContext& context) const {
  check_rank(context, 3, "row_splits", 1);
  context.set_output(0, DataType::int64,
                     Dimensions{dimension_at(context, 3, 0) - 1, context.unknown_dimension()});
}

void StringRaggedTensorToDense::infer(InferContext& context) const {
  const DataType third = context.element(2);
  const DataType fourth = context.element(3);
  if (third != DataType::undefined && third == fourth) {
    throw Error(ErrorCode::invalid, format("inputs 2 and 3 are both of type {} (expected int64 for "
                                           "the places of rows, string for the other)",
                                           name_of(third)));
  }
  if (third == DataType::undefined && fourth == DataType::undefined) {
    context.set_output(0, DataType::string, std::nullopt);
    return;
  }
  const std::int64_t splits = third == DataType::int64 || fourth == DataType::string ? 2 : 3;
  check_rank(context, splits, "row_splits", 1);
  if (splits == 2) check_vector(context, 3, "default_value", dimension_at(context, 2, 0));
  context.set_output(0, DataType::string,
                     Dimensions{dimension_at(context, splits, 0) - 1, context.unknown_dimension()});
}

void RaggedTensorToSparse::infer(InferContext& context) const {
  check_rank(context, 0, "n_elements", 1);
  context.set_output(0, DataType::int64, Dimensions{context.unknown_dimension(), 2});
  context.set_output(1, DataType::int64, Dimensions{2});
}

void SegmentSum::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "data", 1);
  check_vector(context, 1, "segment_ids", dimension_at(context, 0, 0));
  PartialShape shape = context.shape(0);
  if (shape) shape->front() = context.unknown_dimension();
  context.set_output(0, DataType::float32, std::move(shape));
}

void SegmentExtraction::infer(InferContext& context) const {
  const std::int64_t rank = context.rank(0);
  if (rank == 0 || rank > 2) {
    throw Error(ErrorCode::invalid, format("the input has the shape {} (expected [n] or [1, n])",
                                           to_string(context.shape(0))));
  }
  if (rank == 2) check_dimension("the number of rows", dimension_at(context, 0, 0), 1);
  const Dimension segments = context.unknown_dimension();
  context.set_output(0, DataType::int64, Dimensions{segments, 2});
  context.set_output(1, DataType::int64, Dimensions{segments});
}

void Inverse::infer(InferContext& context) const {
  check_rank(context, 0, "X", 2);
  check_dimension("the width of a matrix", dimension_at(context, 0, 1),
                  dimension_at(context, 0, 0));
  context.set_output(0, DataType::float32, context.shape(0));
}

void NegPos::infer(InferContext& context) const {
  context.set_output(0, DataType::float32, context.shape(0));
  context.set_output(1, DataType::float32, context.shape(0));
}

}  // namespace ortool::extensions
