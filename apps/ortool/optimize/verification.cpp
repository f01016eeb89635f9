// The first number of changes after which the outputs differ is found by halving.
#include "apps/ortool/optimize/verification.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/run/lean_session.hpp"
#include "apps/ortool/run/value_set.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/infer/infer_shapes.hpp"

namespace ortool {
namespace {

/// What fusions may change, of an element and of the largest one.
constexpr double fused_rtol = 1e-4;
constexpr double fused_atol_of_max = 1e-5;
/// What 16-bit floats may: ten bits a number, and sums of them.
constexpr double half_rtol = 2e-2;
constexpr double half_atol_of_max = 2e-2;

/// Sizes for free dimensions; many a model takes no 1.
constexpr std::array<std::int64_t, 6> sizes_to_try = {1, 2, 8, 32, 128, 512};

std::vector<std::string> input_symbols(const Model& model) {
  std::vector<std::string> symbols;
  for (const Value* input : model.graph->inputs()) {
    if (!input->type().shape) continue;
    for (const Dimension& dimension : *input->type().shape) {
      const bool is_new = dimension.is_symbol() && std::find(symbols.begin(), symbols.end(),
                                                             dimension.symbol()) == symbols.end();
      if (is_new) symbols.push_back(dimension.symbol());
    }
  }
  return symbols;
}

/// Whether an error says that the model cannot be run, rather than that this run has to end.
bool is_about_model(const Error& error) {
  return error.code() == ErrorCode::invalid || error.code() == ErrorCode::unsupported;
}

}  // namespace

Verifier::Verifier(const Invocation& invocation, const Rewriting& rewriting,
                   std::vector<std::shared_ptr<const Provider>> providers, ThreadPool& pool)
    : invocation_(invocation),
      rewriting_(rewriting),
      providers_(std::move(providers)),
      pool_(pool),
      judge_(invocation.options) {}

std::unique_ptr<Session> Verifier::make_session(std::unique_ptr<Model> model) const {
  SessionOptions options;
  options.providers = providers_;
  options.pool = &pool_;
  options.cap = &invocation_.memory;
  options.threads = thread_count(invocation_.options);
  options.stop = &invocation_.stop;
  options.optimize = OptimizeLevel::none;
  return make_lean_session(std::move(model), std::move(options));
}

std::vector<RunValue> Verifier::run(const Session& session, const NamedValues& inputs) const {
  RunOptions options;
  options.threads = thread_count(invocation_.options);
  options.stop = &invocation_.stop;
  return session.run(inputs, options);
}

bool Verifier::has_given_inputs() const {
  const OptionValues& options = invocation_.options;
  return options.has("input") || options.has("inputs") || options.has("input-dir");
}

void Verifier::read_test_inputs() {
  const OptionValues& options = invocation_.options;
  const std::string folder =
      (std::filesystem::path(rewriting_.folder()) / "test_data_set_0").string();
  std::error_code ignored;
  if (has_given_inputs() || options.has("range") || !rewriting_.keeps_inputs() ||
      !std::filesystem::is_directory(folder, ignored))
    return;
  const std::unique_ptr<Model> model = rewriting_.load();
  const auto inputs = model->graph->inputs();
  const auto positions = input_positions(inputs);
  try {
    const ValueSet set(folder, "input");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto found = set.find(*inputs[i], positions[i], invocation_.memory);
      if (!found) continue;
      if (found->value.is_tensor())
        learn_symbols(*inputs[i], found->value.tensor().shape(), sizes_);
      test_inputs_.emplace_back(std::string(inputs[i]->name()), std::move(found->value));
    }
  } catch (const Error& error) {
    if (!is_about_model(error)) throw;
    invocation_.warn(format("{} is left aside: {}", folder, error.what()));
    test_inputs_.clear();
  }
}

NamedValues Verifier::make_inputs(int index, std::int64_t size) const {
  const std::unique_ptr<Model> model = rewriting_.load();
  if (!has_given_inputs()) {
    for (const std::string& symbol : input_symbols(*model)) {
      const auto known = sizes_.find(symbol);
      if (known != sizes_.end() || size > 1)
        fix_dimension(*model, symbol, known != sizes_.end() ? known->second : size);
    }
  }
  if (index == 0 && size == sizes_to_try.front())
    return named_values(gather_inputs(invocation_, *model));
  // What is guessed was told for the first run.
  OptionValues options = invocation_.options;
  constexpr std::int64_t most_seed = std::int64_t{1} << 52;
  options.set("seed", {format("{}", options.integer("seed", 0, 0, most_seed) + index)});
  Report ignored_report;
  Messages silent;
  silent.set_level(Verbosity::error);
  const Invocation changed{
      options,          invocation_.arguments, invocation_.commands,     ignored_report,   silent,
      invocation_.stop, invocation_.memory,    invocation_.has_document, invocation_.words};
  return named_values(gather_inputs(changed, *model));
}

std::vector<RunValue> Verifier::run_original(const Session& original, int index,
                                             NamedValues& inputs) const {
  if (index == 0 && !test_inputs_.empty()) {
    inputs = test_inputs_;
    return run(original, inputs);
  }
  std::vector<std::int64_t> sizes;
  if (index > 0 && sizes_.empty()) sizes.push_back(index + 1);
  if (has_given_inputs() || !sizes_.empty()) {
    sizes.push_back(sizes_to_try.front());
  } else {
    sizes.insert(sizes.end(), sizes_to_try.begin(), sizes_to_try.end());
  }
  std::optional<Error> first;
  for (const std::int64_t size : sizes) {
    try {
      inputs = make_inputs(index, size);
      return run(original, inputs);
    } catch (const Error& error) {
      if (!is_about_model(error)) throw;
      if (!first) first = error;
    }
  }
  throw Error(*first);
}

bool Verifier::compare(const Session& original, std::span<const RunValue> found,
                       std::span<const RunValue> expected, Verification& result) const {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Judge::Verdict verdict = judge_.compare_output(found[i], expected[i]);
    result.max_abs_error = std::max(result.max_abs_error, verdict.comparison.max_abs_error);
    result.max_rel_error = std::max(result.max_rel_error, verdict.comparison.max_rel_error);
    if (verdict.has_passed) continue;
    result.has_passed = false;
    result.output = original.outputs()[i]->name();
    result.reason = verdict.reason;
    return false;
  }
  return true;
}

void Verifier::each_input(const std::function<void(const NamedValues&)>& visit) {
  const std::unique_ptr<Session> original = make_session(rewriting_.load());
  read_test_inputs();
  const int runs = has_given_inputs() ? 1 : std::max(1, rewriting_.settings().runs);
  for (int index = 0; index < runs; ++index) {
    NamedValues inputs;
    try {
      static_cast<void>(run_original(*original, index, inputs));
    } catch (const Error& error) {
      // What is given or lies beside the model has to run; made-up sizes may not suit it.
      if (index == 0 || !is_about_model(error)) throw;
      break;
    }
    visit(inputs);
  }
}

Verification Verifier::verify(const RewriteReport& report) {
  Verification result;
  if (rewriting_.settings().is_float16) {
    judge_.expect_equal(half_rtol, half_atol_of_max);
  } else if (rewriting_.moves_units(report)) {
    judge_.expect_quantized();
  } else if (rewriting_.keeps_bits(report)) {
    judge_.expect_equal(0, 0);
  } else {
    judge_.expect_equal(fused_rtol, fused_atol_of_max);
  }
  std::unique_ptr<Session> original;
  std::unique_ptr<Session> session;
  const int runs = has_given_inputs() ? 1 : rewriting_.settings().runs;
  for (int index = 0; index < runs; ++index) {
    invocation_.stop.poll();
    NamedValues inputs;
    std::vector<RunValue> expected;
    try {
      if (index == 0) {
        original = make_session(rewriting_.load());
        read_test_inputs();
      }
      expected = run_original(*original, index, inputs);
    } catch (const Error& error) {
      const bool is_needed =
          index == 0 && (rewriting_.settings().must_verify || has_given_inputs());
      if (is_needed || !is_about_model(error)) throw;
      if (index == 0) result.reason = format("the original does not run: {}", error.what());
      break;
    }
    ++result.runs;
    if (is_same(session, *original, inputs, expected, result)) continue;
    tell_difference(*original, inputs, expected, report, result);
    return result;
  }
  if (result.runs > 0) result.has_passed = true;
  return result;
}

void Verifier::tell_difference(const Session& original, const NamedValues& inputs,
                               const std::vector<RunValue>& expected, const RewriteReport& report,
                               Verification& result) const {
  Verification repeated;
  if (!compare(original, run(original, inputs), expected, repeated)) {
    result.has_passed.reset();
    result.reason = "the original gives other outputs each time";
    return;
  }
  result.inputs = inputs;
  RewriteReport unchanged;
  if (!is_same_after(0, original, expected, inputs, unchanged)) {
    result.reason += "; so it is without any pass: the conversion does it";
    return;
  }
  result.guilty = find_guilty(original, expected, inputs, report.rewrites);
}

bool Verifier::is_same(std::unique_ptr<Session>& rewritten, const Session& original,
                       const NamedValues& inputs, std::span<const RunValue> expected,
                       Verification& result) const {
  try {
    if (rewritten == nullptr) {
      std::unique_ptr<Model> model = rewriting_.load();
      static_cast<void>(rewriting_.apply(*model));
      rewritten = make_session(std::move(model));
    }
    return compare(original, run(*rewritten, inputs), expected, result);
  } catch (const Error& error) {
    if (!is_about_model(error)) throw;
    result.has_passed = false;
    result.reason = format("the result does not run: {}", error.what());
    return false;
  }
}

bool Verifier::is_same_after(std::int64_t rewrites, const Session& original,
                             const std::vector<RunValue>& expected, const NamedValues& inputs,
                             RewriteReport& report) const {
  std::unique_ptr<Model> model = rewriting_.load();
  report = rewriting_.apply(*model, rewrites);
  try {
    const std::unique_ptr<Session> session = make_session(std::move(model));
    Verification ignored;
    return compare(original, run(*session, inputs), expected, ignored);
  } catch (const Error& error) {
    if (!is_about_model(error)) throw;
    return false;
  }
}

GuiltyChange Verifier::find_guilty(const Session& original, const std::vector<RunValue>& expected,
                                   const NamedValues& inputs, std::int64_t rewrites) const {
  std::int64_t same = 0;
  std::int64_t different = rewrites;
  RewriteReport report;
  while (different - same > 1) {
    invocation_.stop.poll();
    const std::int64_t middle = same + (different - same) / 2;
    (is_same_after(middle, original, expected, inputs, report) ? same : different) = middle;
  }
  static_cast<void>(is_same_after(different, original, expected, inputs, report));
  GuiltyChange guilty;
  guilty.number = different;
  for (const RewriteEvent& event : report.events) {
    if (!event.reason.empty()) continue;
    guilty.pass = event.rule;
    guilty.node = event.node;
    guilty.members = event.members;
  }
  return guilty;
}

Json verification_block(const Verification& verification) {
  Json block = Json::object();
  block.set("runs", verification.runs)
      .set("max_abs_error", verification.max_abs_error)
      .set("max_rel_error", verification.max_rel_error)
      .set("passed", verification.has_passed ? Json(*verification.has_passed) : Json())
      .set("reason", verification.reason.empty() ? Json() : Json(verification.reason));
  if (!verification.output.empty()) block.set("output", verification.output);
  if (verification.guilty) {
    block.set("guilty", Json::object()
                            .set("pass", verification.guilty->pass)
                            .set("node", verification.guilty->node)
                            .set("members", Json::list_of(verification.guilty->members))
                            .set("change", verification.guilty->number));
  }
  return block;
}

}  // namespace ortool
