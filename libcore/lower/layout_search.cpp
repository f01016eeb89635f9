// Layout search: groups start with their cheapest choice, or with their cheapest blocked one, then
// change one by one while the total cost decreases; blocked regions that do not pay for their
// reorders become plain again. The cheaper of the two results wins.
#include "libcore/lower/layout_search.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>

namespace ortool {
namespace {

constexpr int max_sweeps = 8;

/// A value that some choice reads or writes in blocked layout.
struct Edge {
  std::size_t producer = 0;
  std::size_t output = 0;
  struct Consumer {
    std::size_t group;
    std::size_t input;
  };
  std::vector<Consumer> consumers;
  bool is_read_plain = false;  ///< by a consumer without choices
  double reorder_ns = 0;
};

/// The estimated time of a Reorder; unknown dimensions get typical sizes.
double reorder_nanoseconds(const Value& value) {
  constexpr double fixed_ns = 400;
  constexpr double element_ns = 0.45;
  constexpr double common_size = 32;
  const PartialShape& shape = value.type().shape;
  if (!shape || shape->size() < 2) return fixed_ns;
  double pixels = 1;
  double elements = 1;
  for (std::size_t axis = 0; axis < shape->size(); ++axis) {
    const Dimension& dimension = (*shape)[axis];
    const double size = dimension.is_known() ? static_cast<double>(dimension.number())
                                             : (axis == 0 ? 1 : common_size);
    elements *= size;
    if (axis >= 2) pixels *= size;
  }
  return (pixels == 1 ? 0 : fixed_ns) + elements * element_ns;
}

class Search {
 public:
  explicit Search(const std::vector<PlacedGroup>& groups) : groups_(groups) {}

  std::vector<LayoutChoice> run() {
    if (!ask_for_choices()) return {};
    find_edges();
    converge();
    // Groups between blocked ones that gain nothing themselves start plain, and their neighbors
    // would follow them one by one.
    const double cost = total_cost();
    const std::vector<std::size_t> converged = chosen_;
    start_blocked();
    converge();
    if (total_cost() >= cost) chosen_ = converged;
    std::vector<LayoutChoice> result;
    for (std::size_t group = 0; group < groups_.size(); ++group) result.push_back(choice(group));
    const bool is_plain =
        std::all_of(chosen_.begin(), chosen_.end(), [](std::size_t index) { return index == 0; });
    return is_plain ? std::vector<LayoutChoice>() : result;
  }

 private:
  static constexpr std::size_t no_producer = SIZE_MAX;

  const LayoutChoice& choice(std::size_t group) const { return choices_[group][chosen_[group]]; }

  /// False when no group gains from another layout than plain.
  bool ask_for_choices() {
    bool has_gain = false;
    for (const PlacedGroup& group : groups_) {
      std::vector<LayoutChoice> choices;
      if (group.provider != nullptr) choices = group.provider->layouts(group.view);
      if (choices.empty()) choices.emplace_back();
      const auto best = std::min_element(
          choices.begin(), choices.end(),
          [](const auto& a, const auto& b) { return a.nanoseconds < b.nanoseconds; });
      chosen_.push_back(static_cast<std::size_t>(best - choices.begin()));
      has_gain = has_gain || chosen_.back() != 0;
      choices_.push_back(std::move(choices));
    }
    return has_gain;
  }

  void converge() {
    for (int sweep = 0; sweep < max_sweeps && improve_each(); ++sweep) {
    }
    drop_costly_regions();
  }

  void start_blocked() {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      const std::vector<LayoutChoice>& choices = choices_[group];
      if (choices.size() == 1) continue;
      const auto best = std::min_element(
          choices.begin() + 1, choices.end(),
          [](const auto& a, const auto& b) { return a.nanoseconds < b.nanoseconds; });
      chosen_[group] = static_cast<std::size_t>(best - choices.begin());
    }
  }

  double total_cost() const {
    double cost = 0;
    for (std::size_t group = 0; group < groups_.size(); ++group) cost += choice(group).nanoseconds;
    for (const Edge& edge : edges_) cost += edge_cost(edge);
    return cost;
  }

  static bool must_stay_plain(const Value& value) {
    return std::any_of(value.uses().begin(), value.uses().end(),
                       [](const Use& use) { return use.kind != Use::Kind::input; });
  }

  /// Removes choices that write a value in blocked layout that must be plain.
  void keep_possible(std::size_t group, const std::vector<Value*>& outputs) {
    std::vector<LayoutChoice>& choices = choices_[group];
    const auto is_impossible = [&](const LayoutChoice& choice) {
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] != nullptr && choice.output(i) != Layout::plain &&
            must_stay_plain(*outputs[i]))
          return true;
      }
      return false;
    };
    const auto end = std::remove_if(choices.begin() + 1, choices.end(), is_impossible);
    if (end == choices.end()) return;
    choices.erase(end, choices.end());
    const auto best = std::min_element(
        choices.begin(), choices.end(),
        [](const auto& a, const auto& b) { return a.nanoseconds < b.nanoseconds; });
    chosen_[group] = static_cast<std::size_t>(best - choices.begin());
  }

  /// Edges by value, for values that a group with choices reads or writes. Values without a
  /// producing group are plain: their edges have no producer.
  void find_edges() {
    std::unordered_map<const Value*, std::size_t> edge_ids;
    inputs_.resize(groups_.size());
    outputs_.resize(groups_.size());
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      const std::vector<Value*> inputs = groups_[group].view.inputs();
      const std::vector<Value*> outputs = groups_[group].view.outputs();
      keep_possible(group, outputs);
      const bool has_choice = choices_[group].size() > 1;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] == nullptr || inputs[i]->is_constant()) continue;
        auto found = edge_ids.find(inputs[i]);
        if (found == edge_ids.end()) {
          if (!has_choice) continue;
          found = add_edge(edge_ids, *inputs[i]);
          edges_.back().producer = no_producer;
        }
        Edge& edge = edges_[found->second];
        if (has_choice) {
          edge.consumers.push_back({group, i});
          inputs_[group].push_back(found->second);
        } else {
          edge.is_read_plain = true;
        }
      }
      for (std::size_t i = 0; has_choice && i < outputs.size(); ++i) {
        if (outputs[i] == nullptr) continue;
        const std::size_t number = add_edge(edge_ids, *outputs[i])->second;
        edges_[number].producer = group;
        edges_[number].output = i;
        outputs_[group].push_back(number);
      }
    }
  }

  using EdgeIds = std::unordered_map<const Value*, std::size_t>;
  EdgeIds::iterator add_edge(EdgeIds& edge_ids, const Value& value) {
    const auto place = edge_ids.emplace(&value, edges_.size()).first;
    edges_.emplace_back();
    edges_.back().reorder_ns = reorder_nanoseconds(value);
    return place;
  }

  /// The cost of a value's reorders.
  double edge_cost(const Edge& edge) const {
    const Layout made =
        edge.producer == no_producer ? Layout::plain : choice(edge.producer).output(edge.output);
    unsigned wanted = edge.is_read_plain ? bit(Layout::plain) : 0U;
    for (const Edge::Consumer& consumer : edge.consumers)
      wanted |= bit(choice(consumer.group).input(consumer.input));
    wanted &= ~bit(made);
    double cost = 0;
    for (; wanted != 0; wanted &= wanted - 1) cost += edge.reorder_ns;
    return cost;
  }
  static unsigned bit(Layout layout) { return 1U << static_cast<unsigned>(layout); }

  /// The cost of a group including its adjacent reorders.
  double cost_around(std::size_t group) const {
    double cost = choice(group).nanoseconds;
    for (const std::size_t edge : inputs_[group]) cost += edge_cost(edges_[edge]);
    for (const std::size_t edge : outputs_[group]) cost += edge_cost(edges_[edge]);
    return cost;
  }

  /// Whether the first input is already in the blocked layout that the choice reads.
  bool goes_on(std::size_t group) const {
    if (inputs_[group].empty()) return false;
    const Edge& edge = edges_[inputs_[group].front()];
    if (edge.producer == no_producer) return false;
    const Layout made = choice(edge.producer).output(edge.output);
    return made != Layout::plain && choice(group).input(0) == made;
  }

  /// Gives each group the best choice with its neighbors fixed; of equal ones, one that continues
  /// the layout of its input.
  bool improve_each() {
    constexpr double margin = 1e-6;
    bool has_changed = false;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      if (choices_[group].size() == 1) continue;
      const std::size_t before = chosen_[group];
      std::size_t best = before;
      double best_cost = cost_around(group);
      bool best_goes_on = goes_on(group);
      for (std::size_t index = 0; index < choices_[group].size(); ++index) {
        chosen_[group] = index;
        const double cost = cost_around(group);
        const bool is_equal = cost <= best_cost + margin && goes_on(group) && !best_goes_on;
        if (cost >= best_cost - margin && !is_equal) continue;
        best = index;
        best_cost = cost;
        best_goes_on = goes_on(group);
      }
      chosen_[group] = best;
      has_changed = has_changed || best != before;
    }
    return has_changed;
  }

  std::size_t root(std::size_t group) {
    while (parents_[group] != group) {
      parents_[group] = parents_[parents_[group]];
      group = parents_[group];
    }
    return group;
  }

  /// Groups connected by blocked values form a region. A region that costs more than its groups in
  /// plain layout becomes plain.
  void drop_costly_regions() {
    parents_.resize(groups_.size());
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    for (const Edge& edge : edges_) {
      if (edge.producer == no_producer) continue;
      const Layout made = choice(edge.producer).output(edge.output);
      for (const Edge::Consumer& consumer : edge.consumers) {
        if (made != Layout::plain && choice(consumer.group).input(consumer.input) == made)
          parents_[root(consumer.group)] = root(edge.producer);
      }
    }
    std::unordered_map<std::size_t, std::vector<std::size_t>> regions;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      if (chosen_[group] != 0) regions[root(group)].push_back(group);
    }
    for (const auto& [unused, region] : regions) drop_if_costly(region);
  }

  double cost_of(const std::vector<std::size_t>& region,
                 const std::vector<std::size_t>& edges) const {
    double cost = 0;
    for (const std::size_t group : region) cost += choice(group).nanoseconds;
    for (const std::size_t edge : edges) cost += edge_cost(edges_[edge]);
    return cost;
  }

  void drop_if_costly(const std::vector<std::size_t>& region) {
    std::vector<std::size_t> edges;
    std::vector<std::size_t> before;
    for (const std::size_t group : region) {
      edges.insert(edges.end(), inputs_[group].begin(), inputs_[group].end());
      edges.insert(edges.end(), outputs_[group].begin(), outputs_[group].end());
      before.push_back(chosen_[group]);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    const double blocked_cost = cost_of(region, edges);
    for (const std::size_t group : region) chosen_[group] = 0;
    if (cost_of(region, edges) <= blocked_cost) return;
    for (std::size_t i = 0; i < region.size(); ++i) chosen_[region[i]] = before[i];
  }

  const std::vector<PlacedGroup>& groups_;
  std::vector<std::vector<LayoutChoice>> choices_;
  std::vector<std::size_t> chosen_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> inputs_;  ///< edges of each group
  std::vector<std::vector<std::size_t>> outputs_;
  std::vector<std::size_t> parents_;
};

}  // namespace

std::vector<LayoutChoice> choose_layouts(const std::vector<PlacedGroup>& groups) {
  return Search(groups).run();
}

}  // namespace ortool
