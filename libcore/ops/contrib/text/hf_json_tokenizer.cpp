// Schema and shape rule of HfJsonTokenizer.
#include "libcore/ops/contrib/text/hf_json_tokenizer.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"

namespace ortool::extensions {

constinit const OpSchema HfJsonTokenizer::schema = {
    "HfJsonTokenizer",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"str", "tensor(string)"}},
      .outputs = {{"ids", "tensor(int64)"},
                  {"attention_mask", "tensor(int64)", Formal::Count::optional},
                  {"offset_mapping", "tensor(int64)", Formal::Count::optional}},
      .attributes = {{"tokenizer_config", AttributeKind::string, false, ""},
                     {"tokenizer_vocab", AttributeKind::string, true}}}}};

void HfJsonTokenizer::read(AttributeReader& attributes, int) {
  config = attributes.string("tokenizer_config");
  tokenizer = attributes.string("tokenizer_vocab");
}

void HfJsonTokenizer::infer(InferContext& context) const {
  if (context.has_output(2)) {
    throw Error(ErrorCode::unsupported, "the output 'offset_mapping' is not supported",
                "normalized texts have no places in the given ones; leave the output out");
  }
  PartialShape shape = context.shape(0);
  if (shape) shape->push_back(context.unknown_dimension());
  context.set_output(0, DataType::int64, shape);
  if (context.has_output(1)) context.set_output(1, DataType::int64, std::move(shape));
}

}  // namespace ortool::extensions
