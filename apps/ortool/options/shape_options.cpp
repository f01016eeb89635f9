// Shape options: parses shapes and symbols, and passes them to shape inference.
#include "apps/ortool/options/shape_options.hpp"

#include <algorithm>

#include "apps/ortool/options/option_conflicts.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/graph/symbol_sum.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/optimize/contrib/nchwc_weights.hpp"

namespace ortool {

OptionSpec nchwc_block_option() {
  return {.name = "nchwc-block",
          .value = "SIZE",
          .help =
              "channels in a block of a model that ONNX Runtime saved at its level all: 16 "
              "with AVX-512, else 8",
          .choices = {"8", "16"}};
}

OptionGroup shape_options() {
  return {"Shapes",
          {
              {.name = "dim",
               .value = "NAME=N",
               .help = "set a dimension of the inputs: --dim batch=4",
               .repeats = true,
               .completes = Completion::dimensions},
              {.name = "shape",
               .value = "INPUT=SHAPE",
               .help = "set the shape of an input: --shape image=1x3x224x224",
               .repeats = true,
               .completes = Completion::inputs},
              nchwc_block_option(),
          }};
}

Shape read_shape(std::string_view option, std::string_view text) {
  if (text == "scalar" || text == "[]") return Shape{};
  std::string_view inner = text;
  if (inner.starts_with('[') && inner.ends_with(']')) inner = inner.substr(1, inner.size() - 2);
  const char separator = inner.find('x') != std::string_view::npos ? 'x' : ',';
  std::vector<std::int64_t> dimensions;
  const std::vector<std::string> pieces =
      inner.empty() ? std::vector<std::string>{""} : split(inner, separator);
  for (const std::string& piece : pieces) {
    std::int64_t number = 0;
    if (!read_integer(piece, number) || number < 0) {
      throw Error(ErrorCode::invalid, format("option --{}: {} is not a shape", option, quote(text)),
                  "write it like 1x3x224x224")
          .with_id("usage.value");
    }
    dimensions.push_back(number);
  }
  return Shape(std::move(dimensions));
}

std::map<std::string, std::int64_t, std::less<>> read_dimension_sizes(
    const OptionValues& options, const std::vector<std::string>& symbols) {
  std::map<std::string, std::int64_t, std::less<>> numbers;
  for (const std::string& text : options.all("dim")) {
    const NamedValue pair =
        split_named_value("dim", text, symbols, "dimension", "dimensions of the inputs");
    std::int64_t number = 0;
    if (!read_integer(pair.value, number) || number < 0) {
      throw Error(ErrorCode::invalid,
                  format("option --dim: {} is not a dimension", quote(pair.value)),
                  "give an integer from 0 up")
          .with_id("usage.value");
    }
    numbers.insert_or_assign(pair.name, number);
  }
  return numbers;
}

void apply_shape_options(const OptionValues& options, Model& model) {
  const auto numbers = read_dimension_sizes(options, input_symbols(model));
  for (const auto& [symbol, number] : numbers) fix_dimension(model, symbol, number);
  for (const std::string& symbol : input_symbols(model)) {
    const auto sum = called_sum(symbol, [&](const std::string& name) {
      const auto given = numbers.find(name);
      return given != numbers.end() ? std::optional(given->second) : std::nullopt;
    });
    if (sum) fix_dimension(model, symbol, *sum);
  }
  for (const std::string& text : options.all("shape")) {
    const NamedValue pair = split_input_value("shape", text, model.inputs());
    fix_shape(model, pair.name, read_shape("shape", pair.value));
  }
  apply_nchwc_block(options, model);
}

void apply_nchwc_block(const OptionValues& options, Model& model) {
  if (!options.has("nchwc-block")) return;
  if (model.opset(nchwc_domain) == 0) {
    throw applies_to_nothing("option --nchwc-block: the model has no channels in blocks",
                             "leave the option out");
  }
  state_nchwc_block(model, options.integer("nchwc-block", 0));
}

}  // namespace ortool
