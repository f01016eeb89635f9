// Progress messages, from the handler of a timer that expires once a second.
#include "apps/ortool/report/progress.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "apps/ortool/report/standard_output.hpp"
#include "apps/ortool/signal_timer.hpp"
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

namespace {

/// A line put together without allocating memory; what does not fit is left out.
class FixedLine {
 public:
  FixedLine& operator<<(std::string_view text) {
    const std::size_t count = std::min(text.size(), buffer_.size() - size_);
    std::copy_n(text.data(), count, buffer_.data() + size_);
    size_ += count;
    return *this;
  }
  FixedLine& operator<<(std::int64_t number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }
  std::string_view text() const { return {buffer_.data(), size_}; }

 private:
  std::array<char, 1000> buffer_;
  std::size_t size_ = 0;
};

/// The compact JSON of a progress event up to its first number.
std::string event_start(const std::string& phase) {
  std::string text = Json::object().set("event", "progress").set("phase", phase).write_compact();
  text.pop_back();
  return text + ", \"elapsed_ms\": ";
}

}  // namespace

struct ProgressLine::State {
  enum class Style { line, plain, json };

  /// The phase that is shown: phases begin and end in one thread.
  static inline std::atomic<State*> shown{nullptr};
  static inline std::atomic<int> running_handlers{0};
  static inline SignalTimer* timer = nullptr;  ///< while a phase is shown

  Style style;
  State* outer = nullptr;     ///< the phase around this one
  std::int64_t interval = 1;  ///< seconds between lines
  std::string what;           ///< with control characters escaped
  std::string event;          ///< of --progress json: see event_start
  std::atomic<bool> was_told{false};
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

  void add_count(FixedLine& line) const {
    if (total > 0) line << " " << done.load() << " of " << total.load();
  }

  /// What stays on the terminal: nothing of a phase that was hardly seen.
  void write_last_line() const {
    constexpr std::int64_t min_kept_ms = 2000;
    const std::int64_t elapsed = elapsed_ms();
    FixedLine line;
    line << "\r\x1b[K";
    if (elapsed >= min_kept_ms) {
      line << what;
      add_count(line);
      line << ": " << elapsed / 1000 << " s\n";
    }
    write_to_stderr(line.text());
  }

  /// Async-signal-safe.
  void tell() {
    const std::int64_t seconds = elapsed_ms() / 1000;
    const std::optional<std::int64_t> left = milliseconds_left();
    FixedLine line;
    if (style == Style::json) {
      line << event << seconds * 1000;
      if (total > 0) line << ", \"done\": " << done.load() << ", \"total\": " << total.load();
      if (left) line << ", \"remaining_ms\": " << *left;
      line << "}\n";
    } else {
      if (style == Style::line) line << "\r\x1b[K";
      line << what;
      add_count(line);
      line << ": " << seconds << " s";
      if (left) line << ", about " << (*left + 999) / 1000 << " s left";
      if (style == Style::plain) line << "\n";
    }
    write_to_stderr(line.text());
    was_told.store(true);
  }

  static void on_timer() {
    ++running_handlers;
    if (State* const state = shown.load()) state->tell();
    --running_handlers;
  }

  /// Makes `next`, which may be null, the phase that is shown, when its next interval ends.
  static void show(State* next) {
    shown.store(next);
    // A handler that runs in another thread may still use the previous one.
    while (running_handlers.load() != 0) std::this_thread::yield();
    if (next == nullptr) {
      delete std::exchange(timer, nullptr);
      return;
    }
    if (timer == nullptr) timer = new SignalTimer(SignalTimer::Use::progress, on_timer);
    const std::chrono::seconds interval(next->interval);
    const auto elapsed = std::chrono::steady_clock::now() - next->start;
    timer->start(interval - elapsed % interval, interval);
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
  if (how == "json") state_->event = event_start(what);
  state_->what = printable(what);
  state_->outer = outer;
  State::show(state_.get());
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
  State::show(state_->outer);
  if (state_->was_told.load() && state_->style == State::Style::line) state_->write_last_line();
}

}  // namespace ortool
