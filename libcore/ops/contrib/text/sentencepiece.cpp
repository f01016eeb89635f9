// Schemas and shapes of the SentencePiece operators of ai.onnx.contrib.
#include "libcore/ops/contrib/text/sentencepiece.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool::extensions {

constinit const OpSchema SentencepieceTokenizer::schema = {
    "SentencepieceTokenizer",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"inputs", "tensor(string)"},
                 {"nbest_size", "tensor(int64)"},
                 {"alpha", "tensor(float)"},
                 {"add_bos", "tensor(bool)"},
                 {"add_eos", "tensor(bool)"},
                 {"reverse", "tensor(bool)"},
                 {"fairseq", "tensor(bool)", Formal::Count::optional}},
      .outputs = {{"tokens", "tensor(int32)"}, {"indices", "tensor(int64)"}},
      .attributes = {{"model", AttributeKind::string, true}}}}};

constinit const OpSchema SentencepieceDecoder::schema = {
    "SentencepieceDecoder",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"ids", "tensor(int64)"}, {"fairseq", "tensor(bool)", Formal::Count::optional}},
      .outputs = {{"str", "tensor(string)"}},
      .attributes = {{"model", AttributeKind::string, true}}}}};

void SentencepieceTokenizer::read(AttributeReader& attributes, int) {
  model = attributes.string("model");
}

void SentencepieceTokenizer::infer(InferContext& context) const {
  constexpr const char* names[] = {"nbest_size", "alpha", "add_bos", "add_eos", "reverse",
                                   "fairseq"};
  for (std::int64_t i = 1; i < context.input_count(); ++i) {
    if (context.has_input(i)) check_single(context, i, names[i - 1]);
  }
  Dimension texts(1);
  const PartialShape shape = context.shape(0);
  if (!shape) texts = Dimension();
  for (std::size_t i = 0; shape && i < shape->size(); ++i) texts = texts * (*shape)[i];
  context.set_output(0, DataType::int32, Dimensions{context.unknown_dimension()});
  context.set_output(1, DataType::int64, Dimensions{texts + 1});
}

void SentencepieceDecoder::read(AttributeReader& attributes, int) {
  model = attributes.string("model");
}

void SentencepieceDecoder::infer(InferContext& context) const {
  if (context.has_input(1)) check_single(context, 1, "fairseq");
  context.set_output(0, DataType::string, Dimensions{1});
}

}  // namespace ortool::extensions
