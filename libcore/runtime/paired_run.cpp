// Paired run: two threads that wait for each other, so that each lends its latest value.
#include "libcore/runtime/paired_run.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

using KeyNames = std::map<std::string, std::string, std::less<>>;

/// Identifies a value by its graph's depth, its name, and how often it was computed before (in a
/// loop).
class KeyBuilder {
 public:
  /// `names` maps value names to those in keys, and omits others; null: all, unchanged.
  explicit KeyBuilder(const KeyNames* names) : names_(names) {}

  /// Empty for omitted values.
  std::string make(const Node& node, std::int64_t index) {
    const Value* value = node.output(index);
    if (value == nullptr) return {};
    std::string_view name = value->name();
    if (names_ != nullptr) {
      const auto found = names_->find(name);
      if (found == names_->end()) return {};
      name = found->second;
    }
    std::string key = names_ != nullptr ? std::string(name) : format("{}:{}", node.depth(), name);
    const std::int64_t before = counts_[key]++;
    return before == 0 ? key : format("{}#{}", key, before);
  }

 private:
  const KeyNames* names_;
  std::unordered_map<std::string, std::int64_t> counts_;
};

/// Limits what is remembered of loops with many iterations.
constexpr std::size_t max_keys = 1'000'000;

class KeyRecorder : public ValueObserver {
 public:
  explicit KeyRecorder(const KeyNames* names) : builder_(names) {}

  void observe(const Node& node, std::int64_t index, const RunValue&) override {
    if (keys.size() >= max_keys) return;
    std::string key = builder_.make(node, index);
    if (!key.empty()) keys.push_back(std::move(key));
  }

  std::vector<std::string> keys;

 private:
  KeyBuilder builder_;
};

bool has_bodies(const Session& session) {
  return graphs_in(std::as_const(*session.model().graph)).size() > 1;
}

KeyRecorder record_keys(const ObservedRun& run, const KeyNames* names, ValueOrder order) {
  KeyRecorder recorder(names);
  if (order == ValueOrder::of_nodes && !has_bodies(run.session)) {
    for (const Node& node : std::as_const(*run.session.model().graph).nodes()) {
      for (std::int64_t i = 0; i < node.output_count(); ++i) recorder.observe(node, i, RunValue());
    }
    return recorder;
  }
  RunOptions options = run.options;
  options.observer = &recorder;
  run.session.run(run.inputs, options);
  return recorder;
}

/// The longest common subsequence of keys: those that both runs can visit in one order.
std::vector<std::string> common_keys(const std::vector<std::string>& mine,
                                     const std::vector<std::string>& others) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < others.size(); ++i) places.emplace(others[i], i);
  std::vector<std::size_t> row;        // by length, index in `mine` of the last key of a
                                       // subsequence
  std::vector<std::size_t> row_place;  // the same in `others`, ascending
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

/// The rendezvous of the two runs.
class Rendezvous {
 public:
  Rendezvous(const std::vector<std::string>& keys, PairVisitor visit) : visit_(visit) {
    for (std::size_t i = 0; i < keys.size(); ++i) places_.emplace(keys[i], i);
  }

  /// The key's place from `first` on; nothing for one that is not met, or no longer.
  std::optional<std::size_t> place_of(const std::string& key, std::size_t first) const {
    const auto found = places_.find(key);
    if (found == places_.end() || found->second < first) return std::nullopt;
    return found->second;
  }

  /// Called with the value at `place`, later than before; returns when it has been compared, or
  /// will not be: the other side may leave out values.
  void come(bool is_other, std::size_t place, const Node& node, std::int64_t index,
            const RunValue& value, const StopToken* stop) {
    std::unique_lock lock(mutex_);
    if (is_over_) return;
    if (waiting_ != nullptr && place < waiting_place_) return;
    if (waiting_ != nullptr) {
      const bool meet = place == waiting_place_;
      if (meet && is_other) {
        show(*waiting_node_, waiting_index_, *waiting_, value);
      } else if (meet) {
        show(node, index, value, *waiting_);
      }
      waiting_ = nullptr;
      passed_ = waiting_place_ + 1;
      changed_.notify_all();
      if (meet || is_over_) return;
    }
    waiting_ = &value;
    waiting_node_ = &node;
    waiting_index_ = index;
    waiting_place_ = place;
    while (passed_ <= place && !is_over_) {
      constexpr auto between_polls = std::chrono::milliseconds(50);
      changed_.wait_for(lock, between_polls);
      if (stop != nullptr && stop->is_requested()) end_locked();
    }
  }

  /// Releases all waiting threads.
  void end() {
    const std::lock_guard lock(mutex_);
    end_locked();
  }

 private:
  void end_locked() {
    is_over_ = true;
    waiting_ = nullptr;
    changed_.notify_all();
  }

  void show(const Node& node, std::int64_t index, const RunValue& mine, const RunValue& others) {
    if (!visit_(node, index, mine, others)) end_locked();
  }

  std::unordered_map<std::string, std::size_t> places_;
  PairVisitor visit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const RunValue* waiting_ = nullptr;
  const Node* waiting_node_ = nullptr;
  std::int64_t waiting_index_ = 0;
  std::size_t waiting_place_ = 0;
  std::size_t passed_ = 0;  ///< places that no side waits for any more
  bool is_over_ = false;
};

class RendezvousObserver : public ValueObserver {
 public:
  RendezvousObserver(Rendezvous& rendezvous, bool is_other, const StopToken* stop,
                     const KeyNames* names)
      : rendezvous_(rendezvous), is_other_(is_other), stop_(stop), builder_(names) {}

  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    ++computed;
    const std::string key = builder_.make(node, index);
    if (key.empty()) return;
    const std::optional<std::size_t> place = rendezvous_.place_of(key, next_);
    if (!place) return;
    next_ = *place + 1;
    rendezvous_.come(is_other_, *place, node, index, value, stop_);
  }

  std::int64_t computed = 0;

 private:
  Rendezvous& rendezvous_;
  bool is_other_;
  const StopToken* stop_;
  std::size_t next_ = 0;  ///< the first place to come
  KeyBuilder builder_;
};

/// Runs to the end; even after an error, the other side stops waiting for this one.
std::exception_ptr visit_all(const ObservedRun& run, Rendezvous& rendezvous, bool is_other,
                             const KeyNames* names, std::int64_t& computed) {
  std::exception_ptr failure;
  RendezvousObserver visitor(rendezvous, is_other, run.options.stop, names);
  try {
    RunOptions options = run.options;
    options.observer = &visitor;
    run.session.run(run.inputs, options);
  } catch (...) {
    failure = std::current_exception();
  }
  rendezvous.end();
  computed = visitor.computed;
  return failure;
}

}  // namespace

void PairedRuns::run(const ObservedRun& run, const ObservedRun& other, PairVisitor visit) {
  KeyNames names;
  KeyNames other_names;
  for (const ValuePair& pair : pairs_) {
    names.emplace(pair.name, pair.name);
    other_names.emplace(pair.other, pair.name);
  }
  const KeyNames* mine = pairs_.empty() ? nullptr : &names;
  const KeyNames* others = pairs_.empty() ? nullptr : &other_names;
  if (!has_keys_) {
    keys_ = common_keys(record_keys(run, mine, order_).keys,
                        record_keys(other, others, order_).keys);
    has_keys_ = !has_bodies(run.session) && !has_bodies(other.session);
  }
  Rendezvous rendezvous(keys_, visit);
  std::exception_ptr other_failure;
  std::int64_t computed_by_other = 0;
  std::thread thread(
      [&] { other_failure = visit_all(other, rendezvous, true, others, computed_by_other); });
  const std::exception_ptr failure = visit_all(run, rendezvous, false, mine, computed_);
  thread.join();
  if (failure) std::rethrow_exception(failure);
  if (other_failure) std::rethrow_exception(other_failure);
}

}  // namespace ortool
