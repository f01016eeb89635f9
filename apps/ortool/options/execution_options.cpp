// Execution options: threads, execution mode, optimization level, precision.
#include "apps/ortool/options/execution_options.hpp"

#include <algorithm>

#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/precision_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/report/level_names.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/parallel/processor_count.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/base/strings/unknown_name_of_many.hpp"

namespace ortool {
namespace {

/// The passes of --skip-pass, checked.
std::vector<std::string> skipped_passes(const OptionValues& options) {
  std::vector<std::string> skipped;
  if (!options.has("skip-pass")) return skipped;
  std::vector<std::string> known;
  const std::vector<LoweringPassInfo> lowering = describe_lowering();
  for (const LoweringPassInfo& pass : lowering) known.emplace_back(pass.name);
  for (const PassDescription& pass : describe_passes(pipeline())) known.emplace_back(pass.name);
  std::vector<std::string> wanted;
  for (const std::string& text : options.all("skip-pass")) {
    for (std::string& name : split(text, ',')) wanted.push_back(std::move(name));
  }
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw unknown_name_of_many("pass", name, known, list_passes_hint);
    const auto same = [&](const LoweringPassInfo& pass) { return pass.name == name; };
    const auto pass = std::find_if(lowering.begin(), lowering.end(), same);
    if (pass != lowering.end() && pass->is_required) {
      throw applies_to_nothing(format("option --skip-pass: '{}' is required", name),
                               "'ortool optimize --list-passes' shows which passes are");
    }
    skipped.push_back(name);
  }
  return skipped;
}

}  // namespace

OptionSpec threads_option() {
  return {.name = "threads",
          .value = "N",
          .help = "number of threads (default: auto, one for each processor; -v says which)",
          .range = whole_from(1, 256),
          .suggestions = {"auto"}};
}

OptionSpec cache_dir_option() {
  return {.name = "cache-dir",
          .value = "DIR",
          .help = "keep packed weights in DIR, and map them at later starts",
          .completes = Completion::folders};
}

OptionSpec cache_limit_option() {
  return {.name = "cache-limit",
          .value = "SIZE",
          .help = "remove the least recently used files of --cache-dir above this total",
          .range = size_range};
}

OptionGroup execution_options() {
  OptionGroup group = {
      "Execution",
      {
          threads_option(),
          {.name = "execution",
           .value = "HOW",
           .help = "sequential: one node at a time; parallel: independent nodes at the same time",
           .choices = {"sequential", "parallel"}},
          {.name = "optimize",
           .value = "LEVEL",
           .help = "optimization before running: none (one kernel per node), basic, extended, all "
                   "(default)",
           .choices = {"none", "basic", "extended", "all"}},
          {.name = "skip-pass",
           .value = "PASS",
           .help = "skip this pass or rule ('ortool optimize --list-passes' lists all)",
           .repeats = true,
           .is_list = true,
           .completes = Completion::all_passes},
      }};
  for (OptionSpec& option : precision_options()) group.options.push_back(std::move(option));
  return group;
}

int thread_count(const OptionValues& options) {
  if (options.text("threads", "auto") == "auto") return available_processors();
  return static_cast<int>(options.integer("threads", 1));
}

void tell_threads(const Invocation& invocation) {
  if (invocation.options.text("threads", "auto") != "auto") return;
  invocation.messages.info(format("threads: {}", count_processors().explanation()));
}

void check_execution_options(const OptionValues& options) {
  check_precision_options(options);
  static_cast<void>(skipped_passes(options));
  if (options.has("cache-limit") && !options.has("cache-dir"))
    throw no_effect("cache-limit", "without --cache-dir", "add --cache-dir DIR");
}

ComputeOptions message_options(const Invocation& invocation) {
  ComputeOptions compute;
  TaskContext task = invocation.task();
  compute.memory = &invocation.memory;
  compute.stop = &invocation.stop;
  compute.on_warning = std::move(task.on_warning);
  compute.on_step = std::move(task.on_step);
  compute.on_note = std::move(task.on_note);
  return compute;
}

ComputeOptions compute_options(const Invocation& invocation,
                               std::vector<std::shared_ptr<const Provider>> providers,
                               ThreadPool* pool) {
  ComputeOptions compute = message_options(invocation);
  compute.providers = std::move(providers);
  compute.threads = thread_count(invocation.options);
  compute.pool = pool;
  return compute;
}

SessionOptions session_options(const Invocation& invocation,
                               std::vector<std::shared_ptr<const Provider>> providers,
                               ThreadPool& pool) {
  const OptionValues& options = invocation.options;
  SessionOptions result = session_options(compute_options(invocation, std::move(providers), &pool));
  result.strict_provider = options.flag("strict-provider");
  result.optimize = optimize_level(options.text("optimize", "all"));
  result.skipped_passes = skipped_passes(options);
  result.pinned = pinned_providers(options);
  result.parallel = options.text("execution", "sequential") == "parallel";
  return result;
}

void use_cache(const OptionValues& options, SessionOptions& session) {
  if (!options.has("cache-dir")) return;
  if (options.has("cache-limit"))
    session.cache_limit_bytes = options.size_bytes("cache-limit", session.cache_limit_bytes);
  session.cache_dir = options.text("cache-dir");
  session.cache_tag = options.text("provider", "auto") + ' ' + options.text("precision", "float32");
  for (const char* choice : {"node-provider", "provider-option", "keep-float", "keep-float-op"}) {
    for (const std::string& value : options.all(choice))
      session.cache_tag += format(" {}={}", choice, value);
  }
}

Json cache_block(const Invocation& invocation, const Session& session) {
  const CacheReport cache = session.cache();
  if (!cache.packed_refusal.empty()) {
    invocation.warn(
        format("the packed weights of the model are not used: {}; the model runs from "
               "its plain ones",
               cache.packed_refusal));
  }
  if (cache.path.empty()) return Json();
  if (cache.is_rebuilt)
    invocation.note(format("the session cache is rebuilt: {} ({})", cache.reason, cache.path));
  if (!cache.failure.empty()) {
    invocation.warn(format("option --cache-dir: no session cache was written: {} ({})",
                           cache.failure, cache.path));
  }
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json() : Json(text);
  };
  return Json::object()
      .set("path", cache.path)
      .set("hit", cache.hit)
      .set("reason", text_or_null(cache.reason))
      .set("failure", text_or_null(cache.failure));
}

Json packed_block(const Session& session) {
  const CacheReport cache = session.cache();
  if (!cache.has_packed) return Json();
  const bool is_used = cache.packed_refusal.empty();
  return Json::object()
      .set("used", is_used)
      .set("reason", is_used ? Json() : Json(cache.packed_refusal));
}

}  // namespace ortool
