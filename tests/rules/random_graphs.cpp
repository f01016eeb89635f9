// Runs random graphs as written and with every kind of rewriting, and compares the outputs.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <set>
#include <string>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/nested_names.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/provider/constant_evaluator.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/text/parse.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/rules/random_graph.hpp"

namespace ortool::test {
namespace {

constexpr std::int64_t opset = 23;
constexpr std::int64_t known_symbol_size = 3;
/// Relative to the largest element of an output, since extended rules may reorder sums.
constexpr double tolerance = 1e-4;

std::unique_ptr<Model> model_of(const std::string& text) {
  auto model = std::make_unique<Model>();
  model->ir_version = 10;
  model->graph = parse_graph(text, {{"", opset}, {own_domain, own_opset}});
  return model;
}

NamedValues inputs_of(const Graph& graph) {
  NamedValues inputs;
  std::uint64_t state = 99;
  for (const Value* input : graph.inputs()) {
    std::vector<std::int64_t> sizes;
    for (const Dimension& dimension : *input->type().shape)
      sizes.push_back(dimension.is_known() ? dimension.number() : known_symbol_size);
    Tensor tensor(DataType::float32, Shape(sizes));
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      set_element(tensor, i, 4 * static_cast<double>(state >> 11) * 0x1p-53 - 2);
    }
    inputs.emplace_back(std::string(input->name()), std::move(tensor));
  }
  return inputs;
}

std::vector<RunValue> compute(std::unique_ptr<Model> model, OptimizeLevel level) {
  const NamedValues inputs = inputs_of(*model->graph);
  const Session session(std::move(model),
                        {.providers = {make_cpu_provider(cpu::best_isa())}, .optimize = level});
  return session.run(inputs, {});
}

/// The rules and passes that changed something.
using Acted = std::set<std::string>;

/// Rewritten as for a file, without ortool's own operators.
std::unique_ptr<Model> rewritten(const std::string& text, OptimizeLevel level, Acted& acted) {
  std::unique_ptr<Model> model = model_of(text);
  infer_shapes(*model);
  const auto provider = make_cpu_provider(cpu::best_isa());
  Workers workers;
  const CompileContext context{.workers = workers};
  ConstantEvaluator evaluator(*provider, context);
  RewriteOptions options;
  options.evaluator = &evaluator;
  options.keeps_events = true;
  options.after_pass = [](const Model& after, std::string_view) { verify_names(*after.graph); };
  for (const RewriteEvent& event : optimize(*model, pipeline(), level, options).events) {
    if (event.reason.empty()) acted.insert(std::string(event.rule));
  }
  verify(*model->graph);
  if (optimize(*model, pipeline(), level, options).rewrites != 0)
    throw Error(ErrorCode::invalid, "a second run changes something");
  return model;
}

/// The first difference, if any; `is_exact` requires the same bits.
std::optional<std::string> difference(const std::vector<RunValue>& found,
                                      const std::vector<RunValue>& expected, bool is_exact) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Tensor& a = found[k].tensor();
    const Tensor& b = expected[k].tensor();
    if (a.type() != b.type() || a.shape() != b.shape())
      return format("output {} is {} instead of {}", k, a.shape().to_string(),
                    b.shape().to_string());
    if (a.size_bytes() == 0) continue;
    const bool is_same =
        std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0;
    if (is_same) continue;
    if (is_exact) return format("output {} has other bits", k);
    double largest = 1;
    for (std::int64_t i = 0; i < b.element_count(); ++i)
      largest = std::max(largest, std::abs(element_as_double(b, i)));
    for (std::int64_t i = 0; i < b.element_count(); ++i) {
      const double x = element_as_double(a, i);
      const double y = element_as_double(b, i);
      if (std::isnan(x) != std::isnan(y) || std::abs(x - y) > tolerance * largest)
        return format("output {} differs at {}: {} instead of {}", k, i, x, y);
    }
  }
  return std::nullopt;
}

std::optional<std::string> check(const std::string& text, Acted& acted) {
  try {
    const std::vector<RunValue> expected = compute(model_of(text), OptimizeLevel::none);
    if (auto found =
            difference(compute(rewritten(text, OptimizeLevel::basic, acted), OptimizeLevel::none),
                       expected, true))
      return "basic: " + *found;
    if (auto found = difference(
            compute(rewritten(text, OptimizeLevel::extended, acted), OptimizeLevel::none), expected,
            false))
      return "extended: " + *found;
    if (auto found = difference(compute(model_of(text), OptimizeLevel::all), expected, false))
      return "in a session: " + *found;
    return std::nullopt;
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

int run_random_graphs(std::uint64_t seed, int count) {
  Acted acted;
  int failed = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t each = seed + static_cast<std::uint64_t>(i);
    const std::string text = random_graph(each);
    const std::optional<std::string> finding = check(text, acted);
    if (!finding) continue;
    if (++failed <= 5)
      std::printf("seed %llu: %s\n%s\n", static_cast<unsigned long long>(each), finding->c_str(),
                  text.c_str());
  }
  std::printf("%d random graphs from seed %llu, %d failed; %zu rules and passes acted\n", count,
              static_cast<unsigned long long>(seed), failed, acted.size());
  for (const std::string& name : acted) std::printf("  %s\n", name.c_str());
  return failed;
}

}  // namespace ortool::test
