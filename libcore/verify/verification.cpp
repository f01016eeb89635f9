// Verification: compares outputs of the original and the rewritten model on the same inputs.
#include "libcore/verify/verification.hpp"

#include <algorithm>
#include <filesystem>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/dataset/values/value_set.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/inspect/cache_outputs.hpp"
#include "libcore/inspect/fp16_outputs.hpp"
#include "libcore/optimize/passes/inline_functions.hpp"
#include "libcore/optimize/surgery/exact_products.hpp"
#include "libcore/optimize/surgery/pin_random_seeds.hpp"
#include "libcore/runtime/compact_session.hpp"

namespace ortool {
namespace {

/// The tolerance for fusions, relative to an element and to the largest one.
constexpr double fused_rtol = 1e-4;
constexpr double fused_atol_of_max = 1e-5;

/// Whether the input accepts this shape.
bool takes(const Value& input, const Shape& shape) {
  const PartialShape& declared = input.type().shape;
  if (!declared) return true;
  bool fits = static_cast<std::int64_t>(declared->size()) == shape.rank();
  for (std::size_t i = 0; fits && i < declared->size(); ++i) {
    const Dimension& dimension = (*declared)[i];
    fits = !dimension.is_known() || dimension.number() == shape[static_cast<std::int64_t>(i)];
  }
  return fits;
}

bool are_all_1(const InputSizes& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](const auto& size) { return size.second == 1; });
}

/// Formats as "C=3, H=7 (--dim and --shape set them)".
std::string sizes_text(const InputSizes& sizes) {
  constexpr std::size_t max_shown = 8;
  std::string text;
  std::size_t count = 0;
  for (const auto& [name, size] : sizes) {
    if (++count > max_shown) break;
    text += format("{}{}={}", text.empty() ? "" : ", ", name, size);
  }
  if (sizes.size() > max_shown) text += format(" and {} more", sizes.size() - max_shown);
  return text + format(" ({} and {} set them)", setting_name("dim"), setting_name("shape"));
}

}  // namespace

bool is_about_model(const Error& error) {
  return error.code() == ErrorCode::invalid || error.code() == ErrorCode::unsupported;
}

Verifier::Verifier(TaskContext task, const Rewriting& rewriting, VerifierOptions options)
    : task_(std::move(task)),
      rewriting_(rewriting),
      options_(std::move(options)),
      judge_(options_.judge),
      runner_{[this](std::unique_ptr<Model> model) { return make_session(std::move(model)); },
              [this](const Session& session, const NamedValues& inputs) {
                return run(session, inputs);
              }},
      session_runner_{[this](std::unique_ptr<Model> model) {
                        return make_session(std::move(model), OptimizeLevel::all);
                      },
                      runner_.run} {}

std::unique_ptr<Session> Verifier::make_session(std::unique_ptr<Model> model,
                                                OptimizeLevel level) const {
  SessionOptions options;
  options.providers = options_.providers;
  options.pool = &options_.pool;
  options.cap = &task_.memory;
  options.threads = options_.threads;
  options.stop = &task_.stop;
  options.on_step = task_.on_step;
  options.optimize = level;
  // Weights are packed on demand: the same bits, without a copy of the model.
  if (level != OptimizeLevel::none) options.max_packed_bytes = 0;
  return make_compact_session(std::move(model), std::move(options));
}

std::vector<RunValue> Verifier::run(const Session& session, const NamedValues& inputs) const {
  RunOptions options;
  options.threads = options_.threads;
  options.stop = &task_.stop;
  return session.run(inputs, options);
}

void Verifier::read_test_inputs() {
  const std::string folder =
      (std::filesystem::path(rewriting_.folder()) / "test_data_set_0").string();
  std::error_code ignored;
  if (has_given_inputs() || !options_.inputs.takes_test_data || !rewriting_.keeps_inputs() ||
      !std::filesystem::is_directory(folder, ignored))
    return;
  const std::unique_ptr<Model> model = rewriting_.load();
  const auto inputs = model->inputs();
  const auto positions = input_positions(inputs);
  try {
    const ValueSet set(folder, "input");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto found = set.find(*inputs[i], positions[i], task_.memory);
      if (!found) continue;
      if (found->value.is_tensor()) {
        const Shape& shape = found->value.tensor().shape();
        if (rewriting_.has_fixed_shapes() && !takes(*inputs[i], shape)) {
          task_.warn(format("{} is skipped, since {} is {} there: its inputs are random", folder,
                            quote(inputs[i]->name()), shape.to_string()));
          test_inputs_.clear();
          sizes_.clear();
          return;
        }
        learn_symbols(*inputs[i], shape, sizes_);
      }
      test_inputs_.emplace_back(std::string(inputs[i]->name()), std::move(found->value));
    }
  } catch (const Error& error) {
    if (!is_about_model(error)) throw;
    task_.warn(format("{} is skipped: {}", folder, error.what()));
    test_inputs_.clear();
  }
}

NamedValues Verifier::make_inputs(int index, const InputSizes& sizes, bool tells) const {
  const std::unique_ptr<Model> model = rewriting_.load();
  // If all are 1, the code that gathers inputs reports it.
  if (!are_all_1(sizes)) set_input_sizes(*model, sizes);
  return options_.inputs.make(*model, index, tells);
}

std::vector<RunValue> Verifier::run_original(const Session& original, int index,
                                             NamedValues& inputs) {
  if (index == 0 && !test_inputs_.empty()) {
    inputs = test_inputs_;
    return run(original, inputs);
  }
  std::vector<InputSizes> choices(1);
  if (!has_given_inputs()) {
    if (!size_choice_) {
      size_choice_.emplace([this] { return rewriting_.load(); }, sizes_, task_.memory, task_.stop);
    }
    choices = size_choice_->for_run(index);
  }
  std::optional<Error> first;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0 && !size_choice_->is_within_budget(choices[i])) continue;
    try {
      inputs = make_inputs(index, choices[i], index == 0 && i == 0);
      std::vector<RunValue> results = run(original, inputs);
      if (index == 0 && !choices[i].empty() && !are_all_1(choices[i]))
        task_.note(format("free dimensions are {}", sizes_text(choices[i])));
      return results;
    } catch (const Error& error) {
      if (!is_about_model(error)) throw;
      if (!first) first = error;
    }
  }
  throw Error(*first);
}

bool Verifier::compare(const Session& original, std::span<const RunValue> found,
                       std::span<const RunValue> expected, Verification& result) const {
  bool is_same = true;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Judge::Verdict verdict =
        judge_.compare_output(original.outputs()[i]->name(), found[i], expected[i]);
    result.max_abs_error = std::max(result.max_abs_error, verdict.comparison.max_abs_error);
    result.max_rel_error = std::max(result.max_rel_error, verdict.comparison.max_rel_error);
    result.sqnr_db = std::min(result.sqnr_db, verdict.comparison.sqnr_db);
    if (verdict.has_passed || !is_same) continue;
    is_same = false;
    result.has_passed = false;
    result.output = original.outputs()[i]->name();
    result.reason = verdict.reason;
  }
  return is_same;
}

void Verifier::each_input(const std::function<void(const NamedValues&)>& visit,
                          Progress* progress) {
  const std::unique_ptr<Session> original = make_session(load());
  read_test_inputs();
  const int runs = has_given_inputs() ? 1 : std::max(1, rewriting_.settings().runs);
  for (int index = 0; index < runs; ++index) {
    if (progress != nullptr) progress->tell_done(index, runs);
    NamedValues inputs;
    try {
      static_cast<void>(run_original(*original, index, inputs));
    } catch (const Error& error) {
      // Given inputs and test data must run; random sizes may not suit the model.
      if (index == 0 || !is_about_model(error)) throw;
      break;
    }
    visit(inputs);
  }
}

Judge Verifier::fp16_judge() const {
  Judge judge(options_.judge);
  judge.expect_equal(fp16_rtol, fp16_atol_of_max);
  return judge;
}

Verification Verifier::verify(const RewriteReport& report, Progress& progress) {
  Verification result;
  if (rewriting_.settings().has_16_bits()) {
    judge_ = fp16_judge();
  } else if (rewriting_.keeps_bits(report)) {
    judge_.expect_equal(0, 0);
  } else {
    judge_.expect_equal(fused_rtol, fused_atol_of_max);
  }
  result.pinned_seeds = pin_random_seeds(*rewriting_.load());
  std::unique_ptr<Session> original;
  Candidate whole;
  const int runs = has_given_inputs() ? 1 : rewriting_.settings().runs;
  for (int index = 0; index < runs; ++index) {
    task_.stop.poll();
    progress.tell_done(index, runs);
    NamedValues inputs;
    std::vector<RunValue> expected;
    try {
      if (index == 0) {
        original = make_session(load());
        read_test_inputs();
        expect_fp16(result);
        expect_rounding(result);
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
    staged_inputs_ = nullptr;
    const Reference reference{*original, inputs, expected};
    if (is_same(whole, reference, result) && is_same_in_session(whole, reference, result)) continue;
    tell_difference(reference, report, result);
    return result;
  }
  if (result.runs > 0) result.has_passed = true;
  return result;
}

void Verifier::expect_fp16(Verification& result) {
  const std::unique_ptr<Model> model = rewriting_.load();
  if (rewriting_.settings().has_16_bits() || !has_fp16(*model)) return;
  inline_functions(*model);
  infer_shapes(*model);
  result.tolerance = judge_.expect_fp16(fp16_outputs(*model));
}

void Verifier::expect_rounding(Verification& result) {
  if (!rewriting_.drops_rounding()) return;
  const std::unique_ptr<Model> model = rewriting_.load();
  if (!judge_.expect_quantized(cache_outputs(*model))) return;
  result.tolerance =
      "the original rounds the inputs of recurrent layers to 8 bits, which the target's do not: "
      "outputs need a cosine similarity of 0.999 and the same largest element";
}

std::unique_ptr<Model> Verifier::load() const {
  std::unique_ptr<Model> model = rewriting_.load();
  pin_random_seeds(*model);
  // The target's products are exact, so those of the original are as well.
  if (rewriting_.settings().target == Target::onnx) make_products_exact(*model);
  return model;
}

}  // namespace ortool
