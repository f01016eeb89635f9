// Progress messages, from a thread that wakes up once a second.
#include "apps/ortool/report/progress.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include "apps/ortool/report/standard_output.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/escape.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

struct ProgressLine::State {
  enum class Style { line, plain, json };

  Style style;
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
    const std::string count =
        total > 0 ? format(" {} of {}", done.load(), total.load()) : std::string();
    std::string text = format("{}{}: {} s", printable(what), count, seconds);
    if (const auto left = milliseconds_left())
      text += format(", about {} s left", (*left + 999) / 1000);
    write_to_stderr(style == Style::line ? "\r\x1b[K" + text : text + "\n");
  }

  void run() {
    std::unique_lock lock(mutex);
    std::int64_t seconds = 1;
    while (!over.wait_until(lock, start + std::chrono::seconds(seconds), [&] { return is_over; })) {
      try {
        tell(seconds);
      } catch (const std::bad_alloc&) {  // the command itself will say so
      }
      ++seconds;
    }
    if (seconds > 1 && style == Style::line) write_to_stderr("\r\x1b[K");
  }
};

ProgressLine::ProgressLine(const OptionValues& options, const Messages& messages,
                           std::string what) {
  const std::string how = options.text("progress", "auto");
  const bool is_silent = how == "auto" && (!messages.is_terminal() || options.flag("quiet"));
  if (how == "none" || is_silent) return;
  state_ = std::make_unique<State>();
  state_->style = how == "json"    ? State::Style::json
                  : how == "plain" ? State::Style::plain
                                   : State::Style::line;
  state_->what = std::move(what);
  try {
    state_->thread = std::thread([state = state_.get()] { state->run(); });
  } catch (const std::system_error&) {
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
}

}  // namespace ortool
