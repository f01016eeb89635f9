// Parses a model from text and infers its shapes.
#include "tests/support/inferred_model.hpp"

#include "libcore/infer/infer_shapes.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {

std::unique_ptr<Model> inferred_model(std::string_view text) {
  std::unique_ptr<Model> model = parse_model(text);
  infer_shapes(*model);
  return model;
}

}  // namespace ortool
