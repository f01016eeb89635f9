// Parser and shape rule for Einsum's equation.
#include "libcore/ops/math/einsum.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema Einsum::schema = {
    "Einsum",
    "",
    {{.since = 12,
      .inputs = {{"Inputs", "T", Formal::Count::variadic}},
      .outputs = {{"Output", "T"}},
      .attributes = {{"equation", AttributeKind::string, true}},
      .types = {{"T", types::numbers}}},
     {.since = 28,
      .inputs = {{"Inputs", "T", Formal::Count::variadic}},
      .outputs = {{"Output", "T"}},
      .attributes = {{"equation", AttributeKind::string, true}},
      .types = {{"T", types::numbers_and_bfloat16}}}}};

namespace {

constexpr std::string_view einsum_ellipsis = "...";

[[noreturn]] void refuse_einsum(const std::string& equation, std::string_view why) {
  throw Error(ErrorCode::invalid,
              format("equation '{}' {}", escape_control_characters(equation), why));
}

EinsumTerm read_einsum_term(const std::string& equation, std::string_view text) {
  EinsumTerm term;
  while (!text.empty()) {
    const char letter = text.front();
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    if (text.starts_with(einsum_ellipsis)) {
      if (term.ellipsis >= 0) refuse_einsum(equation, "has two ellipses in a term");
      term.ellipsis = static_cast<std::ptrdiff_t>(term.letters.size());
      text.remove_prefix(einsum_ellipsis.size());
      continue;
    }
    if (!is_letter) {
      refuse_einsum(equation, "has something other than letters, ellipses, commas and one arrow");
    }
    term.letters += letter;
    text.remove_prefix(1);
  }
  if (static_cast<std::int64_t>(term.letters.size()) > Shape::max_dimensions) {
    refuse_einsum(equation, "has a term with more than 64 letters");
  }
  return term;
}

/// The output of an equation without an arrow: the ellipsis, then the letters that occur once, in
/// alphabetical order.
EinsumTerm implicit_output(const std::vector<EinsumTerm>& inputs) {
  std::string all;
  EinsumTerm output;
  for (const EinsumTerm& term : inputs) {
    all += term.letters;
    if (term.ellipsis >= 0) output.ellipsis = 0;
  }
  std::sort(all.begin(), all.end());
  for (const char letter : all) {
    if (std::count(all.begin(), all.end(), letter) == 1) output.letters += letter;
  }
  return output;
}

void check_output_term(const std::string& equation, const Einsum& op) {
  const std::string& letters = op.output.letters;
  for (const char letter : letters) {
    if (std::count(letters.begin(), letters.end(), letter) > 1)
      refuse_einsum(equation, "has a letter twice in the output");
    const bool is_there =
        std::any_of(op.inputs.begin(), op.inputs.end(), [letter](const EinsumTerm& term) {
          return term.letters.find(letter) != std::string::npos;
        });
    if (!is_there) refuse_einsum(equation, "has a letter in the output that no input has");
  }
}

/// The dimensions of the letters and the ellipsis over all terms.
struct EinsumAxes {
  std::map<char, Dimension> letters;
  std::optional<Dimensions> ellipsis = Dimensions();  ///< nothing when its rank is unknown

  void add(char letter, const Dimension& dimension) {
    const auto [found, is_new] = letters.try_emplace(letter, dimension);
    if (!is_new) found->second = broadcast_dimensions(found->second, dimension);
  }
};

void add_einsum_operand(EinsumAxes& axes, const EinsumTerm& term, const PartialShape& shape,
                        std::int64_t index) {
  if (!shape) {
    for (const char letter : term.letters) axes.letters.try_emplace(letter);
    if (term.ellipsis >= 0) axes.ellipsis = std::nullopt;
    return;
  }
  const std::size_t letters = term.letters.size();
  if (shape->size() < letters || (shape->size() > letters && term.ellipsis < 0)) {
    throw Error(ErrorCode::invalid,
                format("input {} has the shape {}, but its term of the equation has {} axes", index,
                       to_string(shape), letters));
  }
  const std::size_t before = term.ellipsis >= 0 ? static_cast<std::size_t>(term.ellipsis) : letters;
  const std::size_t hidden = shape->size() - letters;
  for (std::size_t i = 0; i < letters; ++i)
    axes.add(term.letters[i], (*shape)[i < before ? i : i + hidden]);
  if (term.ellipsis < 0) return;
  const auto first = shape->begin() + term.ellipsis;
  axes.ellipsis = broadcast_shapes(axes.ellipsis,
                                   Dimensions(first, first + static_cast<std::ptrdiff_t>(hidden)));
}

}  // namespace

void Einsum::read(AttributeReader& attributes, int) {
  const std::string equation = attributes.string("equation");
  std::string text = equation;
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  const std::string_view left = std::string_view(text).substr(0, arrow);
  for (std::size_t start = 0; start <= left.size();) {
    const std::size_t comma = std::min(left.find(',', start), left.size());
    inputs.push_back(read_einsum_term(equation, left.substr(start, comma - start)));
    start = comma + 1;
  }
  output = arrow == std::string::npos
               ? implicit_output(inputs)
               : read_einsum_term(equation, std::string_view(text).substr(arrow + 2));
  check_output_term(equation, *this);
  if (static_cast<std::int64_t>(inputs.size()) != attributes.node().input_count()) {
    throw Error(ErrorCode::invalid, format("the equation has {} terms for {} inputs", inputs.size(),
                                           attributes.node().input_count()));
  }
}

void Einsum::infer(InferContext& context) const {
  EinsumAxes axes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    add_einsum_operand(axes, inputs[i], context.shape(index), index);
  }
  const DataType element = common_element(context, 0, context.input_count());
  if (output.ellipsis >= 0 && !axes.ellipsis) return context.set_output(0, element, std::nullopt);
  Dimensions shape;
  for (const char letter : output.letters) shape.push_back(axes.letters[letter]);
  if (output.ellipsis >= 0)
    shape.insert(shape.begin() + output.ellipsis, axes.ellipsis->begin(), axes.ellipsis->end());
  check_output_rank(shape.size());
  context.set_output(0, element, std::move(shape));
}

}  // namespace ortool
