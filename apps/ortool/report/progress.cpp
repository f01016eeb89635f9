// Progress messages, from a thread that wakes up once a second.
#include "apps/ortool/report/progress.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "apps/ortool/report/standard_output.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/escape.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

std::string progress_style(const OptionValues& options) {
  const std::string how = options.text("progress", "auto");
  const char* set = std::getenv("ORTOOL_PROGRESS");
  if (how != "auto" || set == nullptr || *set == '\0') return how;
  for (const char* known : {"auto", "none", "plain", "json"}) {
    if (set == std::string_view(known)) return set;
  }
  throw Error(
      ErrorCode::invalid,
      format("environment variable ORTOOL_PROGRESS: {} is not a form of progress", quote(set)),
      "use auto, none, plain or json")
      .with_id("environment.progress");
}

struct ProgressLine::State {
  enum class Style { line, plain, json };

  /// The phase that is shown: phases begin and end in one thread.
  static inline std::atomic<State*> shown{nullptr};

  Style style;
  State* outer = nullptr;     ///< the phase around this one
  std::int64_t interval = 1;  ///< seconds between lines
  std::string what;
  std::mutex mutex;
  std::condition_variable over;
  bool is_over = false;
  std::atomic<std::int64_t> done{0};
  std::atomic<std::int64_t> total{0};  ///< 0: unknown
  std::atomic<std::int64_t> first{-1};
  std::atomic<std::int64_t> first_ms{0};
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  std::int64_t elapsed_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 start)
        .count();
  }
  /// Empty before any work is done.
  std::optional<std::int64_t> milliseconds_left() const {
    const std::int64_t done_now = done - first;
    if (total == 0 || done_now <= 0) return std::nullopt;
    return (elapsed_ms() - first_ms) * std::max<std::int64_t>(0, total - done) / done_now;
  }
  std::thread thread;

  std::string count_text() const {
    return total > 0 ? format(" {} of {}", done.load(), total.load()) : std::string();
  }

  /// What stays on the terminal: nothing of a phase that was hardly seen.
  std::string last_line() const {
    constexpr std::int64_t min_kept_ms = 2000;
    const std::int64_t elapsed = elapsed_ms();
    if (elapsed < min_kept_ms) return "\r\x1b[K";
    return format("\r\x1b[K{}{}: {} s\n", printable(what), count_text(), elapsed / 1000);
  }

  void tell(std::int64_t seconds) const {
    if (style == Style::json) {
      Json event = Json::object()
                       .set("event", "progress")
                       .set("phase", what)
                       .set("elapsed_ms", seconds * 1000);
      if (total > 0) event.set("done", done.load()).set("total", total.load());
      if (const auto left = milliseconds_left()) event.set("remaining_ms", *left);
      write_to_stderr(event.write_compact() + "\n");
      return;
    }
    std::string text = format("{}{}: {} s", printable(what), count_text(), seconds);
    if (const auto left = milliseconds_left())
      text += format(", about {} s left", (*left + 999) / 1000);
    write_to_stderr(style == Style::line ? "\r\x1b[K" + text : text + "\n");
  }

  void run() {
    std::unique_lock lock(mutex);
    std::int64_t seconds = interval;
    while (!over.wait_until(lock, start + std::chrono::seconds(seconds), [&] { return is_over; })) {
      try {
        if (shown == this) tell(seconds);
      } catch (const std::bad_alloc&) {  // the command itself will say so
      }
      seconds += interval;
    }
    if (seconds > interval && style == Style::line) write_to_stderr(last_line());
  }
};

ProgressLine::ProgressLine(const OptionValues& options, const Messages& messages,
                           std::string what) {
  const std::string how = progress_style(options);
  if (how == "none" || (how == "auto" && options.flag("quiet"))) return;
  State* outer = State::shown;
  if (outer != nullptr && outer->total > 0) return;
  const bool is_line = how == "auto" && messages.is_terminal();
  state_ = std::make_unique<State>();
  state_->style = how == "json" ? State::Style::json
                  : is_line     ? State::Style::line
                                : State::Style::plain;
  constexpr std::int64_t seconds_of_logs = 10;
  if (how == "auto" && !is_line) state_->interval = seconds_of_logs;
  state_->what = std::move(what);
  state_->outer = outer;
  State::shown = state_.get();
  try {
    state_->thread = std::thread([state = state_.get()] { state->run(); });
  } catch (const std::system_error&) {
    State::shown = outer;
    state_.reset();
  }
}

void ProgressLine::tell_done(std::int64_t done, std::int64_t total) {
  if (state_ == nullptr) return;
  if (state_->first < 0) {
    state_->first_ms = state_->elapsed_ms();
    state_->first = done;
  }
  state_->done = done;
  state_->total = total;
}

ProgressLine::~ProgressLine() {
  if (state_ == nullptr) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_over = true;
  }
  state_->over.notify_all();
  state_->thread.join();
  State::shown = state_->outer;
}

}  // namespace ortool
