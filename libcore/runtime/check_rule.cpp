// Rule check: runs both graphs in sessions without rewriting.
#include "libcore/runtime/check_rule.hpp"

#include <cstring>
#include <map>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/text/parse.hpp"
#include "libcore/text/print.hpp"

namespace ortool {
namespace {

constexpr int max_trials = 8;
constexpr std::int64_t min_size = 2;

/// A distinct size for each symbol, varied between trials.
class Sizes {
 public:
  explicit Sizes(int trial) : trial_(trial) {}

  /// The sizes of the symbols: " (with a = 2, b = 3)".
  std::string text() const {
    std::string text;
    for (const auto& [symbol, size] : sizes_)
      text += format("{}{} = {}", text.empty() ? " (with " : ", ", symbol, size);
    return text.empty() ? text : text + ")";
  }

  std::int64_t of(const Dimension& dimension) {
    if (dimension.is_known()) return dimension.number();
    const auto next = static_cast<std::int64_t>(sizes_.size());
    // The last trials include sizes of 1, to exercise broadcasting.
    const std::int64_t size =
        trial_ >= max_trials - 2 && next % 2 == trial_ % 2 ? 1 : min_size + next + trial_ % 3;
    return sizes_.try_emplace(dimension.to_string(), size).first->second;
  }

 private:
  int trial_;
  std::map<std::string, std::int64_t> sizes_;
};

Tensor make_input(const Value& input, Sizes& sizes, std::uint64_t& state, MemoryCap* cap) {
  std::vector<std::int64_t> numbers;
  for (const Dimension& dimension : *input.type().shape) numbers.push_back(sizes.of(dimension));
  Tensor tensor(input.type().element, Shape(numbers), cap);
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double fraction = static_cast<double>(state >> 11) * 0x1p-53;
    if (is_floating_point(tensor.type())) {
      set_element(tensor, i, 6 * fraction - 3);
    } else {
      set_element(tensor, i, static_cast<std::int64_t>(fraction * 3));
    }
  }
  return tensor;
}

std::unique_ptr<Session> session_of(const Model& model,
                                    const std::shared_ptr<const Provider>& provider,
                                    const RuleCheckOptions& options) {
  auto copy = std::make_unique<Model>();
  copy->ir_version = model.ir_version;
  copy->graph = parse_graph(print_graph(*model.graph), model.graph->opsets());
  return std::make_unique<Session>(std::move(copy),
                                   SessionOptions{.providers = {provider},
                                                  .cap = options.cap,
                                                  .stop = options.stop,
                                                  .optimize = OptimizeLevel::none});
}

NamedValues inputs_for(const Session& session, const NamedValues& all) {
  NamedValues wanted;
  for (const auto& each : all) {
    const Value* value = session.model().find_value(each.first);
    if (value != nullptr && value->is_graph_input()) wanted.push_back(each);
  }
  return wanted;
}

bool have_same_bits(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         (a.size_bytes() == 0 ||
          std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0);
}

/// A description of the difference, or nothing.
std::string difference(const UserRule& rule, const Tensor& found, const Tensor& expected) {
  const bool is_basic = rule.level == OptimizeLevel::basic;
  if (is_basic && have_same_bits(found, expected)) return {};
  const TensorComparison comparison =
      is_basic ? compare(found, expected, {.rtol = 0, .atol = 0})
               : compare(found, expected, {.rtol = 1e-4, .atol = 1e-5, .atol_of_max = true});
  if (comparison.passed) return is_basic ? "its graphs differ" : "";
  if (!comparison.difference.empty()) return comparison.difference;
  return format("its graphs {} in {} of {} elements, by at most {}",
                is_basic ? "differ bitwise" : "differ", comparison.mismatched, comparison.count,
                comparison.max_abs_error);
}

NamedValues made_inputs(const UserRule& rule, Sizes& sizes, std::uint64_t& state, MemoryCap* cap) {
  NamedValues inputs;
  for (const Value* input : rule.before->graph->inputs())
    inputs.emplace_back(std::string(input->name()), make_input(*input, sizes, state, cap));
  return inputs;
}

}  // namespace

void check_rule(const UserRule& rule, const std::shared_ptr<const Provider>& provider,
                const RuleCheckOptions& options) {
  try {
    const std::unique_ptr<Session> before = session_of(*rule.before, provider, options);
    const std::unique_ptr<Session> after = session_of(*rule.after, provider, options);
    std::uint64_t state = 1;
    for (int trial = 0; trial < max_trials; ++trial) {
      Sizes sizes(trial);
      const NamedValues inputs = made_inputs(rule, sizes, state, options.cap);
      const std::vector<RunValue> expected =
          before->run(inputs_for(*before, inputs), {.stop = options.stop});
      const std::vector<RunValue> found =
          after->run(inputs_for(*after, inputs), {.stop = options.stop});
      if (!expected[0].is_tensor() || !found[0].is_tensor()) continue;
      const std::string text = difference(rule, found[0].tensor(), expected[0].tensor());
      if (text.empty()) continue;
      throw Error(ErrorCode::invalid,
                  format("rule {} is wrong: {}{}", quote(rule.name), text, sizes.text()),
                  "its two graphs must compute the same for every input of the declared types")
          .with_id("rules.wrong");
    }
  } catch (Error& error) {
    if (error.id() == "rules.wrong") throw;
    throw error.in(format("rule {}", quote(rule.name)));
  }
}

}  // namespace ortool
