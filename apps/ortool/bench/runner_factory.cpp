// Benchmark runners in this process: sessions, and concurrent callers of them.
#include "apps/ortool/bench/runner_factory.hpp"

#include <algorithm>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/precision_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/progress.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/runtime/compact_session.hpp"

namespace ortool {
namespace {

int max_threads(const BenchSettings& settings) {
  return *std::max_element(settings.threads.begin(), settings.threads.end());
}

/// Other models than the first may lack a dimension that --dim names; they keep their own.
void apply_shapes(const Invocation& invocation, const BenchVariant& variant, bool is_first,
                  Model& model) {
  try {
    apply_shape_options(invocation.options, model);
  } catch (const Error& error) {
    if (is_first) throw;
    invocation.warn(format("{}: {}", variant.model_label, error.what()));
  }
}

void fix_input_shapes(const std::vector<GivenInput>& inputs, Model& model) {
  for (const auto& [name, value] : named_values(inputs)) {
    const Value* input = model.graph->find_value(name);
    if (!value.is_tensor() || input == nullptr || !input->type().shape) continue;
    // A list of one element may be given for a scalar.
    const Shape& shape = value.tensor().shape();
    if (input->type().shape->size() == static_cast<std::size_t>(shape.rank()))
      fix_shape(model, name, shape);
  }
}

/// Content of mapped files is rarely aligned to its elements, and each run would copy it.
NamedValues aligned_values(const std::vector<GivenInput>& inputs) {
  NamedValues values = named_values(inputs);
  for (auto& [name, value] : values) {
    if (value.is_tensor()) value = value.tensor().aligned();
  }
  return values;
}

}  // namespace

std::vector<GivenInput> gather_variant_inputs(const Invocation& invocation,
                                              const BenchSettings& settings,
                                              const BenchVariant& variant, bool describes) {
  const OptionValues options = options_for(invocation.options, variant);
  const Invocation of_variant = invocation.with(options);
  LoadOptions load_options;
  load_options.cap = &invocation.memory;
  const LoadedModel loaded = load_model_at(variant.model, load_options);
  if (describes) describe_model_argument(invocation, loaded);
  apply_shapes(of_variant, variant, variant.model == settings.models.front(), *loaded.model);
  return in_file(loaded.path, [&] { return gather_inputs(of_variant, *loaded.model); });
}

/// A session and its preparation times.
struct RunnerFactory::Shared {
  std::string model;
  std::string provider;
  int threads = 1;
  bool is_reference = false;
  std::string path;
  double load_ms = 0;
  double compile_ms = 0;
  std::string first_provider;  ///< empty: none was given
  std::unique_ptr<Session> session;
  bool has_run = false;
};

RunnerFactory::RunnerFactory(const Invocation& invocation, const BenchSettings& settings,
                             Shapes shapes)
    : invocation_(invocation), settings_(settings), shapes_(shapes), pool_(max_threads(settings)) {}

RunnerFactory::~RunnerFactory() = default;

std::shared_ptr<RunnerFactory::Shared> RunnerFactory::shared_session(
    const BenchVariant& variant, const OptionValues& options,
    const std::vector<GivenInput>& inputs) {
  for (const auto& shared : sessions_) {
    const bool is_it = shared->model == variant.model && shared->provider == variant.provider &&
                       shared->threads == variant.threads && settings_.has_several_dims() &&
                       shared->is_reference == variant.is_reference;
    if (is_it) return shared;
  }
  const Invocation invocation = invocation_.with(options);
  auto providers = choose_providers(invocation, {}, settings_.names_providers);
  auto shared = std::make_shared<Shared>();
  shared->model = variant.model;
  shared->provider = variant.provider;
  shared->threads = variant.threads;
  shared->is_reference = variant.is_reference;
  shared->first_provider = providers.front()->name();
  // Providers that `auto` skips were not requested.
  if (variant.provider.starts_with("auto")) shared->first_provider.clear();
  LoadOptions load_options;
  load_options.cap = &invocation.memory;
  LoadedModel loaded = load_model_at(variant.model, load_options);
  shared->load_ms = loaded.load_ms;
  shared->path = loaded.path;
  apply_shapes(invocation, variant, variant.model == settings_.models.front(), *loaded.model);
  in_file(loaded.path, [&] {
    if (shapes_ == Shapes::fixed) {
      if (variant.model == "-")
        fix_input_shapes(gather_inputs(invocation, *loaded.model), *loaded.model);
      fix_input_shapes(inputs, *loaded.model);
    }
    const Stopwatch watch;
    SessionOptions how = session_options(invocation, std::move(providers), pool_);
    use_cache(options, how);
    shared->session = make_compact_session(std::move(loaded.model), std::move(how));
    shared->compile_ms = watch.milliseconds();
    static_cast<void>(cache_block(invocation, *shared->session));
    check_pinned_providers(options, *shared->session);
    check_kept_floats(options, *shared->session);
  });
  sessions_.push_back(shared);
  return shared;
}

std::unique_ptr<BenchRunner> RunnerFactory::make(const BenchVariant& variant) {
  invocation_.stop.poll();
  const Progress progress(invocation_.task(), "preparing " + variant.name);
  const OptionValues fixed = options_for(invocation_.options, variant);
  const OptionValues open =
      options_for(invocation_.options, variant, !settings_.has_several_dims());
  const Invocation invocation = invocation_.with(fixed);
  std::vector<GivenInput> inputs;
  if (variant.model != "-") {
    inputs = gather_variant_inputs(invocation_, settings_, variant, !is_described_);
    is_described_ = true;
  }
  const std::shared_ptr<Shared> shared = shared_session(variant, open, inputs);
  if (variant.model == "-") inputs = gather_inputs(invocation, shared->session->model());

  RunOptions run_options;
  run_options.threads = variant.threads;
  run_options.stop = &invocation_.stop;
  RunnerFacts facts;
  facts.load_ms = shared->load_ms;
  facts.compile_ms = shared->compile_ms;
  describe_placement(*shared->session, shared->first_provider, facts);
  NamedValues values = aligned_values(inputs);
  in_file(shared->path, [&] { time_first_run(*shared->session, values, run_options, facts); });
  if (shared->has_run) facts.new_shape_ms = facts.first_run_ms;
  shared->has_run = true;
  return make_session_runner(*shared->session, std::move(facts), std::move(values), run_options,
                             settings_.concurrency);
}

}  // namespace ortool
