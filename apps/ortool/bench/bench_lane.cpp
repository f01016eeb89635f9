// Sessions of this process, and the callers that run them at once.
#include "apps/ortool/bench/bench_lane.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>

#include "apps/ortool/bench/joined_threads.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/stopwatch.hpp"
#include "apps/ortool/run/lean_session.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

int most_threads(const BenchSettings& settings) {
  return *std::max_element(settings.threads.begin(), settings.threads.end());
}

/// Models beside the first may lack a dimension that --dim names; they keep their own then.
void apply_shapes(const Invocation& invocation, const BenchVariant& variant, bool is_first,
                  Model& model) {
  try {
    apply_shape_options(invocation.options, model);
  } catch (const Error& error) {
    if (is_first) throw;
    invocation.warn(format("{}: {}", variant.model_label, error.what()));
  }
}

}  // namespace

double timed_run_ms(const Session& session, const NamedValues& inputs, const RunOptions& options) {
  const Stopwatch watch;
  const std::vector<RunValue> outputs = session.run(inputs, options);
  return watch.milliseconds();
}

std::vector<GivenInput> gather_variant_inputs(const Invocation& invocation,
                                              const BenchSettings& settings,
                                              const BenchVariant& variant, bool describes) {
  const OptionValues options = options_for(invocation.options, variant);
  const Invocation of_variant = with_options(invocation, options);
  LoadOptions load_options;
  load_options.cap = &invocation.memory;
  const LoadedModel loaded = load_model_at(variant.model, load_options);
  if (describes) describe_model_argument(invocation, loaded);
  apply_shapes(of_variant, variant, variant.model == settings.models.front(), *loaded.model);
  return in_file(loaded.path, [&] { return gather_inputs(of_variant, *loaded.model); });
}

/// A session with what it took to make it.
struct LaneMaker::Shared {
  std::string model;
  std::string provider;
  int threads = 1;
  bool is_reference = false;
  std::string path;
  double load_ms = 0;
  double compile_ms = 0;
  std::string first_provider;  ///< empty: none was named
  std::unique_ptr<Session> session;
  bool has_run = false;
};

namespace {

/// Runs a session that it shares.
class SessionLane : public Lane {
 public:
  SessionLane(const Session& session, LaneFacts facts, NamedValues inputs, RunOptions options,
              int callers)
      : session_(session),
        facts_(std::move(facts)),
        inputs_(std::move(inputs)),
        options_(options),
        callers_(callers) {}

  LaneBlock run(std::int64_t runs) override {
    LaneBlock block;
    if (callers_ > 1) {
      run_callers(std::max<std::int64_t>(1, runs / callers_), block);
      return block;
    }
    block.samples_ms.reserve(static_cast<std::size_t>(runs));
    const Stopwatch watch;
    for (std::int64_t i = 0; i < runs; ++i) {
      block.samples_ms.push_back(timed_run_ms(session_, inputs_, options_));
    }
    block.wall_ms = watch.milliseconds();
    return block;
  }

  LaneFacts facts() const override {
    LaneFacts facts = facts_;
    facts.arena_bytes = session_.arena_bytes();
    facts.weight_bytes = session_.packed_bytes() + session_.constant_bytes();
    return facts;
  }
  const Session* session() const override { return &session_; }
  const NamedValues* inputs() const override { return &inputs_; }
  RunOptions run_options() const override { return options_; }

 private:
  void run_callers(std::int64_t runs_each, LaneBlock& block) const {
    const auto callers = static_cast<std::size_t>(callers_);
    std::vector<std::vector<double>> samples(callers);
    std::vector<std::exception_ptr> failures(callers);
    for (std::vector<double>& own : samples) own.reserve(static_cast<std::size_t>(runs_each));
    std::latch ready(callers_);
    std::latch begin(1);
    std::atomic<bool> is_given_up{false};
    const auto call = [&](std::size_t caller) {
      ready.count_down();
      begin.wait();
      if (is_given_up) return;
      try {
        for (std::int64_t i = 0; i < runs_each; ++i) {
          samples[caller].push_back(timed_run_ms(session_, inputs_, options_));
        }
      } catch (...) {
        failures[caller] = std::current_exception();
      }
    };
    JoinedThreads threads;
    try {
      for (std::size_t caller = 0; caller < callers; ++caller)
        threads.start([&call, caller] { call(caller); });
    } catch (...) {
      is_given_up = true;
      begin.count_down();
      throw;
    }
    ready.wait();
    begin.count_down();
    const Stopwatch watch;
    threads.join();
    block.wall_ms = watch.milliseconds();
    for (std::size_t caller = 0; caller < callers; ++caller) {
      if (failures[caller]) std::rethrow_exception(failures[caller]);
      block.samples_ms.insert(block.samples_ms.end(), samples[caller].begin(),
                              samples[caller].end());
    }
  }

  const Session& session_;
  LaneFacts facts_;
  NamedValues inputs_;
  RunOptions options_;
  int callers_;
};

void describe_placement(const Session& session, const std::string& first, LaneFacts& facts) {
  for (const Placement& placement : session.placement()) {
    if (placement.provider.empty()) continue;
    if (!first.empty() && placement.provider != first) ++facts.fallback_nodes;
    if (std::find(facts.providers.begin(), facts.providers.end(), placement.provider) ==
        facts.providers.end()) {
      facts.providers.push_back(placement.provider);
    }
  }
}

}  // namespace

LaneMaker::LaneMaker(const Invocation& invocation, const BenchSettings& settings)
    : invocation_(invocation), settings_(settings), pool_(most_threads(settings)) {}

LaneMaker::~LaneMaker() = default;

std::shared_ptr<LaneMaker::Shared> LaneMaker::shared_session(const BenchVariant& variant,
                                                             const OptionValues& options) {
  for (const auto& shared : sessions_) {
    const bool is_it = shared->model == variant.model && shared->provider == variant.provider &&
                       shared->threads == variant.threads && settings_.has_several_dims() &&
                       shared->is_reference == variant.is_reference;
    if (is_it) return shared;
  }
  const Invocation invocation = with_options(invocation_, options);
  auto providers = choose_providers(invocation, {}, settings_.names_providers);
  auto shared = std::make_shared<Shared>();
  shared->model = variant.model;
  shared->provider = variant.provider;
  shared->threads = variant.threads;
  shared->is_reference = variant.is_reference;
  shared->first_provider = providers.front()->name();
  // What `auto` passes over was not asked for.
  if (variant.provider.starts_with("auto")) shared->first_provider.clear();
  LoadOptions load_options;
  load_options.cap = &invocation.memory;
  LoadedModel loaded = load_model_at(variant.model, load_options);
  shared->load_ms = loaded.load_ms;
  shared->path = loaded.path;
  apply_shapes(invocation, variant, variant.model == settings_.models.front(), *loaded.model);
  in_file(loaded.path, [&] {
    const Stopwatch watch;
    shared->session = make_lean_session(std::move(loaded.model),
                                        session_options(invocation, std::move(providers), pool_));
    shared->compile_ms = watch.milliseconds();
    check_pinned_providers(options, *shared->session);
  });
  sessions_.push_back(shared);
  return shared;
}

std::unique_ptr<Lane> LaneMaker::make(const BenchVariant& variant) {
  invocation_.stop.poll();
  const Progress progress(invocation_.options, invocation_.messages, "preparing " + variant.name);
  const OptionValues fixed = options_for(invocation_.options, variant);
  const OptionValues open =
      options_for(invocation_.options, variant, !settings_.has_several_dims());
  const Invocation invocation = with_options(invocation_, fixed);
  std::vector<GivenInput> inputs;
  if (variant.model != "-") {
    inputs = gather_variant_inputs(invocation_, settings_, variant, !is_described_);
    is_described_ = true;
  }
  const std::shared_ptr<Shared> shared = shared_session(variant, open);
  if (variant.model == "-") inputs = gather_inputs(invocation, shared->session->model());

  RunOptions run_options;
  run_options.threads = variant.threads;
  run_options.stop = &invocation_.stop;
  LaneFacts facts;
  facts.load_ms = shared->load_ms;
  facts.compile_ms = shared->compile_ms;
  describe_placement(*shared->session, shared->first_provider, facts);
  NamedValues values = named_values(inputs);
  in_file(shared->path,
          [&] { facts.first_run_ms = timed_run_ms(*shared->session, values, run_options); });
  if (shared->has_run) facts.new_shape_ms = facts.first_run_ms;
  shared->has_run = true;
  return std::make_unique<SessionLane>(*shared->session, std::move(facts), std::move(values),
                                       run_options, settings_.concurrency);
}

}  // namespace ortool
