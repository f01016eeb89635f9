// Float search: evaluates candidates by the number of output elements that differ.
#include "libcore/verify/float_search.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {
namespace {

constexpr double max_search_seconds = 60;
/// The number of ranges into which the nodes are divided.
constexpr std::size_t intervals = 12;
/// Why a node was found to stay in float32.
std::string reason_found(DataType type) {
  return format("in {}, outputs differ by more than the tolerance", name_of(type));
}

/// Nodes [begin, end) in execution order.
struct NodeInterval {
  std::size_t begin;
  std::size_t end;

  std::size_t size() const { return end - begin; }
};

class FloatSearch {
 public:
  FloatSearch(const Rewriting& rewriting, Verifier& verifier,
              const std::map<std::string, std::string>& reasons, Progress& progress)
      : progress_(progress),
        verifier_(verifier),
        reasons_(reasons),
        judge_(verifier.fp16_judge()),
        type_(rewriting.settings().float_type) {
    model_ = verifier.load();
    static_cast<void>(rewriting.apply(*model_));
    const std::unique_ptr<Session> original = verifier.make_session(verifier.load());
    for (const Value* output : original->outputs()) outputs_.emplace_back(output->name());
    verifier.each_input([&](const NamedValues& inputs) {
      inputs_.push_back(inputs);
      expected_.push_back(verifier.run(*original, inputs));
    });
    end_ = std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(
               std::chrono::duration<double>(max_search_seconds));
  }

  /// The names of nodes to keep; empty when none is needed, or none that helps was found.
  std::set<std::string> run() {
    progress_.expect(1);
    std::int64_t differing = count_differing({});
    if (differing == 0) return {};
    std::vector<NodeInterval> kept;
    while (differing > 0) {
      if (!keep_best(kept, differing)) return {};
    }
    for (std::size_t i = 0; i < kept.size(); ++i) shrink(kept, i);
    return names_of(kept);
  }

 private:
  bool is_over() const { return std::chrono::steady_clock::now() >= end_; }

  static std::vector<NodeInterval> cut(const NodeInterval& whole, std::size_t count) {
    std::vector<NodeInterval> parts;
    count = std::min(count, whole.size());
    for (std::size_t i = 0; i < count; ++i) {
      parts.push_back(
          {whole.begin + whole.size() * i / count, whole.begin + whole.size() * (i + 1) / count});
    }
    return parts;
  }

  /// Adds the range that leaves the fewest differing elements; tries longer ranges if no short one
  /// helps, as between nodes that exchange values out of the type's range.
  bool keep_best(std::vector<NodeInterval>& kept, std::int64_t& differing) {
    for (const std::size_t count : {intervals, intervals / 3, std::size_t{2}, std::size_t{1}}) {
      std::optional<NodeInterval> best;
      const std::vector<NodeInterval> parts = cut({0, nodes_.size()}, count);
      auto untried = static_cast<std::int64_t>(parts.size());
      progress_.expect(untried);
      for (const NodeInterval& interval : parts) {
        if (is_over()) return false;
        const std::int64_t left = count_differing(with(kept, interval));
        --untried;
        if (left >= differing) continue;
        differing = left;
        best = interval;
        if (differing == 0) break;
      }
      progress_.expect(-untried);
      if (!best) continue;
      kept.push_back(*best);
      return true;
    }
    return false;
  }

  static std::vector<NodeInterval> with(std::vector<NodeInterval> kept,
                                        const NodeInterval& interval) {
    kept.push_back(interval);
    return kept;
  }

  /// Removes unnecessary nodes from both ends.
  void shrink(std::vector<NodeInterval>& kept, std::size_t index) {
    for (std::size_t step = kept[index].size() / 2; step > 0;) {
      const NodeInterval whole = kept[index];
      bool has_shrunk = false;
      for (const NodeInterval& rest : {NodeInterval{whole.begin + step, whole.end},
                                       NodeInterval{whole.begin, whole.end - step}}) {
        if (is_over()) return;
        std::vector<NodeInterval> fewer = kept;
        fewer[index] = rest;
        progress_.expect(1);
        if (count_differing(fewer) > 0) continue;
        kept = std::move(fewer);
        has_shrunk = true;
        break;
      }
      if (!has_shrunk || kept[index].size() <= step) step = std::min(step, kept[index].size()) / 2;
    }
  }

  std::set<std::string> names_of(const std::vector<NodeInterval>& kept) const {
    std::set<std::string> names;
    for (const NodeInterval& interval : kept) {
      for (std::size_t i = interval.begin; i < interval.end; ++i) names.insert(nodes_[i]);
    }
    return names;
  }

  /// The number of output elements that differ with these nodes in float32, over all runs; a huge
  /// number when the model cannot be run.
  std::int64_t count_differing(const std::vector<NodeInterval>& kept) {
    const std::set<std::string> names = names_of(kept);
    std::unique_ptr<Model> model = copy_model(*model_);
    infer_shapes(*model);
    const FloatConversionReport report = convert_to_16_bits(*model, type_, [&](const Node& node) {
      const std::string name(node.name());
      const auto found = reasons_.find(name);
      if (found != reasons_.end()) return found->second;
      return names.contains(name) ? reason_found(type_) : std::string();
    });
    if (kept.empty()) nodes_ = report.nodes;
    progress_.finish();
    try {
      const std::unique_ptr<Session> session = verifier_.make_session(std::move(model));
      std::int64_t count = 0;
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        count += differing_elements(verifier_.run(*session, inputs_[i]), expected_[i]);
      return count;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid && error.code() != ErrorCode::unsupported) throw;
      return std::numeric_limits<std::int64_t>::max();
    }
  }

  std::int64_t differing_elements(const std::vector<RunValue>& found,
                                  const std::vector<RunValue>& expected) const {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Judge::Verdict verdict = judge_.compare_output(outputs_[i], found[i], expected[i]);
      if (!verdict.has_passed) count += std::max<std::int64_t>(1, verdict.comparison.mismatched);
    }
    return count;
  }

  Progress& progress_;  ///< counts candidates
  Verifier& verifier_;
  const std::map<std::string, std::string>& reasons_;
  Judge judge_;
  DataType type_;
  std::unique_ptr<Model> model_;  ///< rewritten, in float32
  std::vector<std::string> outputs_;
  std::vector<NamedValues> inputs_;
  std::vector<std::vector<RunValue>> expected_;
  std::vector<std::string> nodes_;  ///< that get the type by default
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

void keep_floats_that_count(const TaskContext& task, const Rewriting& rewriting, Verifier& verifier,
                            std::map<std::string, std::string>& reasons) {
  Progress progress(task, "choosing precision");
  for (const std::string& name : FloatSearch(rewriting, verifier, reasons, progress).run())
    reasons.try_emplace(name, reason_found(rewriting.settings().float_type));
}

}  // namespace ortool
