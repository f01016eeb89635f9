// Two threads that meet at every value both of them compute.
#include "apps/ortool/run/divergence.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// A value by its graph's depth, its name, and how often it was computed before (in a loop).
class KeyMaker {
 public:
  std::string make(const Node& node, std::int64_t index) {
    const Value* value = node.output(index);
    if (value == nullptr) return {};
    std::string key = format("{}:{}", node.graph().depth(), value->name());
    const std::int64_t before = counts_[key]++;
    return before == 0 ? key : format("{}#{}", key, before);
  }

 private:
  std::unordered_map<std::string, std::int64_t> counts_;
};

/// Bounds what is remembered of loops that go round very often.
constexpr std::size_t most_keys = 1'000'000;

class KeyRecorder : public ValueObserver {
 public:
  void observe(const Node& node, std::int64_t index, const RunValue&) override {
    if (keys.size() >= most_keys) return;
    std::string key = maker_.make(node, index);
    if (!key.empty()) keys.push_back(std::move(key));
  }

  std::vector<std::string> keys;

 private:
  KeyMaker maker_;
};

std::vector<std::string> keys_of(const ObservedRun& run) {
  KeyRecorder recorder;
  RunOptions options = run.options;
  options.observer = &recorder;
  run.session.run(run.inputs, options);
  return std::move(recorder.keys);
}

/// As many keys of both as can be met in one order: the longest rising row of their places.
std::vector<std::string> common_keys(const std::vector<std::string>& mine,
                                     const std::vector<std::string>& others) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < others.size(); ++i) places.emplace(others[i], i);
  std::vector<std::size_t> row;        // places in `mine` of the ends of rows, by their length
  std::vector<std::size_t> row_place;  // the same in `others`, rising
  std::vector<std::ptrdiff_t> before(mine.size(), -1);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto found = places.find(mine[i]);
    if (found == places.end()) continue;
    const auto at = std::lower_bound(row_place.begin(), row_place.end(), found->second);
    const auto length = static_cast<std::size_t>(at - row_place.begin());
    if (length > 0) before[i] = static_cast<std::ptrdiff_t>(row[length - 1]);
    if (length == row.size()) {
      row.push_back(i);
      row_place.push_back(found->second);
    } else {
      row[length] = i;
      row_place[length] = found->second;
    }
  }
  std::vector<std::string> keys;
  for (std::ptrdiff_t i = row.empty() ? -1 : static_cast<std::ptrdiff_t>(row.back()); i >= 0;
       i = before[static_cast<std::size_t>(i)]) {
    keys.push_back(mine[static_cast<std::size_t>(i)]);
  }
  std::reverse(keys.begin(), keys.end());
  return keys;
}

/// Where the two runs wait for each other.
class Meeting {
 public:
  Meeting(std::vector<std::string> keys, const Judge& judge)
      : keys_(std::move(keys)), judge_(judge) {}

  bool is_next(std::size_t place, const std::string& key) const {
    return place < keys_.size() && keys_[place] == key;
  }

  /// Comes with the value of keys[place]; returns when it has been compared, or will not be.
  void come(bool is_other, std::size_t place, const Node& node, std::int64_t index,
            const RunValue& value, const StopToken* stop) {
    std::unique_lock lock(mutex_);
    if (is_over_) return;
    if (waiting_ != nullptr) {
      if (is_other) {
        compare(*waiting_node_, index, *waiting_, value);
      } else {
        compare(node, index, value, *waiting_);
      }
      waiting_ = nullptr;
      met_ = place + 1;
      lock.unlock();
      changed_.notify_all();
      return;
    }
    waiting_ = &value;
    waiting_node_ = &node;
    while (met_ <= place && !is_over_) {
      constexpr auto between_polls = std::chrono::milliseconds(50);
      changed_.wait_for(lock, between_polls);
      if (stop != nullptr && stop->is_requested()) end_locked();
    }
  }

  /// Nobody waits any more.
  void end() {
    const std::lock_guard lock(mutex_);
    end_locked();
  }

  std::optional<Divergence> take_result() { return std::move(result_); }

 private:
  void end_locked() {
    is_over_ = true;
    waiting_ = nullptr;
    changed_.notify_all();
  }

  void compare(const Node& node, std::int64_t index, const RunValue& mine, const RunValue& others) {
    const Judge::Verdict verdict = judge_.compare_output(mine, others);
    if (verdict.has_passed) return;
    result_ = Divergence{std::string(node.name()), std::string(node.op_type()),
                         std::string(node.output(index)->name()), verdict.reason,
                         verdict.comparison.sqnr_db};
    end_locked();
  }

  std::vector<std::string> keys_;
  const Judge& judge_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const RunValue* waiting_ = nullptr;
  const Node* waiting_node_ = nullptr;
  std::size_t met_ = 0;  ///< keys that both have come with
  bool is_over_ = false;
  std::optional<Divergence> result_;
};

class Visitor : public ValueObserver {
 public:
  Visitor(Meeting& meeting, bool is_other, const StopToken* stop)
      : meeting_(meeting), is_other_(is_other), stop_(stop) {}

  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    const std::string key = maker_.make(node, index);
    if (key.empty() || !meeting_.is_next(place_, key)) return;
    meeting_.come(is_other_, place_++, node, index, value, stop_);
  }

 private:
  Meeting& meeting_;
  bool is_other_;
  const StopToken* stop_;
  std::size_t place_ = 0;
  KeyMaker maker_;
};

/// Runs to the end; whatever happens, the other side does not wait for this one any longer.
std::exception_ptr visit(const ObservedRun& run, Meeting& meeting, bool is_other) {
  std::exception_ptr failure;
  try {
    Visitor visitor(meeting, is_other, run.options.stop);
    RunOptions options = run.options;
    options.observer = &visitor;
    run.session.run(run.inputs, options);
  } catch (...) {
    failure = std::current_exception();
  }
  meeting.end();
  return failure;
}

}  // namespace

std::optional<Divergence> find_divergence(const ObservedRun& run, const ObservedRun& other,
                                          const Judge& judge) {
  Meeting meeting(common_keys(keys_of(run), keys_of(other)), judge);
  std::exception_ptr other_failure;
  std::thread thread([&] { other_failure = visit(other, meeting, true); });
  const std::exception_ptr failure = visit(run, meeting, false);
  thread.join();
  if (failure) std::rethrow_exception(failure);
  if (other_failure) std::rethrow_exception(other_failure);
  return meeting.take_result();
}

}  // namespace ortool
