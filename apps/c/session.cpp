// Sessions of the C interface: options as JSON, shared threads, and what a session refers to.
#include <map>
#include <mutex>

#include "apps/c/guard.hpp"
#include "apps/c/handles.hpp"
#include "apps/c/task_scope.hpp"
#include "apps/ortool/config_file.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/extension_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/runtime/compact_session.hpp"

namespace ortool::c {
namespace {

/// Threads are shared by the sessions that want as many.
std::shared_ptr<ThreadPool> shared_pool(int threads) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<ThreadPool>> pools;
  const std::lock_guard lock(mutex);
  std::weak_ptr<ThreadPool>& kept = pools[threads];
  std::shared_ptr<ThreadPool> pool = kept.lock();
  if (pool == nullptr) {
    pool = std::make_shared<ThreadPool>(threads);
    kept = pool;
  }
  return pool;
}

OptionValues read_session_options(const char* text) {
  OptionValues values;
  if (text == nullptr) return values;
  const std::vector<OptionGroup> groups = {
      execution_options(),
      provider_options(),
      shape_options(),
      extension_options(),
      {"Limits", {{.name = "max-memory", .value = "SIZE", .range = size_range}}}};
  try {
    read_options(parse_json(text, "options"), groups, {}, "ortool.h lists a session's options", {},
                 values);
  } catch (Error& error) {
    throw error.in("session options");
  }
  return values;
}

std::shared_ptr<const SessionState> make_state(const ModelFile& file, const OptionValues& options,
                                               TaskScope& task) {
  check_execution_options(options);
  load_extensions(options);
  auto state = std::make_shared<SessionState>(
      options.size_bytes("max-memory", machine_memory_bytes() / 10 * 8));
  Report report;
  const Invocation invocation{.options = options,
                              .arguments = {},
                              .commands = {},
                              .report = report,
                              .messages = task.messages(),
                              .stop = task.stop(),
                              .memory = state->memory,
                              .has_document = false,
                              .words = {},
                              .on_step = task.on_step(),
                              .is_program = false};
  auto providers = choose_providers(invocation);
  const Stopwatch loading;
  std::unique_ptr<Model> model = file.load(&state->memory);
  state->load_ms = loading.milliseconds();
  for (const std::string& warning : model->warnings) invocation.warn(warning);
  invocation.stop.poll();
  state->threads = thread_count(options);
  state->pool = shared_pool(state->threads);
  const Stopwatch compiling;
  in_file(file.name, [&] {
    apply_shape_options(options, *model);
    auto session = make_compact_session(
        std::move(model), session_options(invocation, std::move(providers), *state->pool));
    check_pinned_providers(options, *session);
    state->session = std::move(session);
  });
  state->compile_ms = compiling.milliseconds();
  invocation.stop.poll();
  task.tell_notes(report);
  state->inputs = ValueInfoList(state->session->inputs());
  state->outputs = ValueInfoList(state->session->outputs());
  return state;
}

}  // namespace
}  // namespace ortool::c

using namespace ortool;     // NOLINT(google-build-using-namespace): functions of the C interface
using namespace ortool::c;  // NOLINT(google-build-using-namespace)

ortool_status ortool_session_new(const ortool_model* model, const char* options,
                                 const ortool_task* task, ortool_session** session_out,
                                 ortool_error** error) {
  return guarded(error, [&] {
    require(model, "model");
    require(session_out, "session_out");
    TaskScope scope(task);
    *session_out =
        new ortool_session{make_state(model->file, read_session_options(options), scope)};
  });
}

void ortool_session_free(ortool_session* session) {
  delete session;
}

const ortool_value_info* const* ortool_session_inputs(const ortool_session* session,
                                                      size_t* count) {
  if (count != nullptr) *count = session->state->inputs.size();
  return session->state->inputs.data();
}

const ortool_value_info* const* ortool_session_outputs(const ortool_session* session,
                                                       size_t* count) {
  if (count != nullptr) *count = session->state->outputs.size();
  return session->state->outputs.data();
}

void ortool_session_release_memory(const ortool_session* session) {
  session->state->session->release_kept_memory();
}
