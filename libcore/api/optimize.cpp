// Preparation, rewriting, and the comparison with the original.
#include "libcore/api/optimize.hpp"

#include <algorithm>
#include <utility>

#include "libcore/api/random_inputs.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/optimize/passes/inline_functions.hpp"
#include "libcore/optimize/surgery/declared_types.hpp"
#include "libcore/verify/float_choice.hpp"
#include "libcore/verify/float_search.hpp"

namespace ortool {
namespace {

/// One call of optimize().
class OptimizeCall {
 public:
  OptimizeCall(Model& model, const OptimizeOptions& options)
      : options_(options),
        scope_(options.compute),
        groups_(options.groups.empty() ? whole_pipeline() : std::vector<RuleGroup>()),
        rewriting_(scope_.task(), source(model), options,
                   options.groups.empty() ? groups_ : options.groups,
                   *options.compute.providers.back()) {}

  OptimizeReport run(Model& model);

 private:
  RewriteSource source(Model& model);
  VerifierInputs inputs() const;
  VerifierInputs random_inputs() const;
  Verifier make_verifier(const Rewriting& rewriting, VerifierInputs inputs);
  Verifier make_verifier() { return make_verifier(rewriting_, inputs()); }
  void rewrite(Model& model);
  void choose_floats();
  void verify();
  /// Compares the conversion that embedded preprocessing requires, without that preprocessing, of
  /// which the original has no form. False if outputs differ.
  bool verify_conversion(Progress& progress);

  const OptimizeOptions& options_;
  ComputeScope scope_;
  std::unique_ptr<Model> as_given_;  ///< null where the caller loads it
  std::vector<RuleGroup> groups_;    ///< where the caller names none
  Rewriting rewriting_;
  bool converts_before_embedding_ = false;
  OptimizeReport report_;
};

RewriteSource OptimizeCall::source(Model& model) {
  resolve_legacy_defaults(model);
  RewriteSource source = options_.source;
  if (source.load) return source;
  // A copy holds no functions.
  inline_functions(model);
  model.functions.clear();
  as_given_ = copy_model(model);
  source.load = [this] { return copy_model(*as_given_); };
  return source;
}

VerifierInputs OptimizeCall::inputs() const {
  return options_.inputs.make ? options_.inputs : random_inputs();
}

VerifierInputs OptimizeCall::random_inputs() const {
  VerifierInputs inputs = options_.inputs;
  inputs.are_given = false;
  inputs.make = [this](const Model& model, int index, bool tells) {
    const TaskContext& task = scope_.task();
    RandomInputs made = make_random_inputs(model, options_.random, index, task.memory);
    if (tells && !made.taken_as_1.empty())
      task.note(format("dimensions set to 1, since not given: {}", list_names(made.taken_as_1)));
    return std::move(made.values);
  };
  return inputs;
}

Verifier OptimizeCall::make_verifier(const Rewriting& rewriting, VerifierInputs inputs) {
  return {scope_.task(),
          rewriting,
          {.providers = options_.compute.providers,
           .pool = scope_.pool(),
           .threads = options_.compute.threads,
           .judge = options_.judge,
           .inputs = std::move(inputs)}};
}

OptimizeReport OptimizeCall::run(Model& model) {
  converts_before_embedding_ = rewriting_.converts_before_embedding(model);
  std::unique_ptr<Model> prepared = rewriting_.prepare(std::make_unique<Model>(std::move(model)));
  const DeclaredTypes declared(*prepared);
  rewrite(*prepared);
  declared.restore(*prepared, rewriting_.has_fixed_shapes());
  model = std::move(*prepared);
  verify();
  return std::move(report_);
}

void OptimizeCall::rewrite(Model& model) {
  report_.before = size_of(model);
  infer_shapes(model);
  if (options_.on_prepared) options_.on_prepared(model);
  if (options_.has_16_bits()) choose_floats();
  {
    Progress progress(scope_.task(), "optimizing");
    report_.rewrites = rewriting_.apply(model, all_rewrites, &progress);
  }
  if (options_.has_16_bits()) report_.float_conversion = rewriting_.float_conversion();
  report_.after = size_of(model);
  if (options_.finds_opset_gain)
    report_.opset_gain =
        find_opset_gain(scope_.task(), rewriting_, model.opset(""), report_.before, report_.after);
  if (options_.explains) report_.closest = rewriting_.closest(model);
  if (options_.on_rewritten) options_.on_rewritten(model, report_);
}

void OptimizeCall::choose_floats() {
  Verifier verifier = make_verifier();
  std::map<std::string, std::string> reasons =
      find_floats_to_keep(scope_.task(), rewriting_, verifier);
  if (options_.runs > 0) keep_floats_that_count(scope_.task(), rewriting_, verifier, reasons);
  rewriting_.convert_floats(std::move(reasons));
}

void OptimizeCall::verify() {
  Verification& verification = report_.verification;
  if (options_.runs == 0) {
    verification.reason = "not asked for";
    return;
  }
  Progress progress(scope_.task(), "verifying");
  if (converts_before_embedding_ && !verify_conversion(progress)) return;
  Verifier verifier = make_verifier();
  verification = verifier.verify(report_.rewrites, progress);
  for (const Embedding& embedding : std::vector<Embedding>(rewriting_.embeddings()))
    report_.embeddings.push_back(check_embedding(embedding, rewriting_.load(), verifier));
  const bool is_wanted = options_.finds_failing_part && report_.verification.culprit;
  if (is_wanted && std::all_of(report_.embeddings.begin(), report_.embeddings.end(),
                               [](const EmbeddingCheck& check) { return check.has_passed; }))
    report_.failing_part = find_failing_part(rewriting_, verifier, verification);
}

bool OptimizeCall::verify_conversion(Progress& progress) {
  const Rewriting plain = rewriting_.without_embedding();
  const std::unique_ptr<Model> model = plain.load();
  const RewriteReport rewrites = plain.apply(*model);
  // Given inputs are for the embedded preprocessing.
  Verifier verifier = make_verifier(plain, options_.inputs.are_given ? random_inputs() : inputs());
  Verification found = verifier.verify(rewrites, progress);
  if (found.has_passed.value_or(true)) return true;
  report_.verification = std::move(found);
  return false;
}

}  // namespace

bool OptimizeReport::differs() const {
  return !verification.has_passed.value_or(true) ||
         std::any_of(embeddings.begin(), embeddings.end(),
                     [](const EmbeddingCheck& check) { return !check.has_passed; });
}

OptimizeReport optimize(Model& model, const OptimizeOptions& options) {
  return OptimizeCall(model, options).run(model);
}

}  // namespace ortool
