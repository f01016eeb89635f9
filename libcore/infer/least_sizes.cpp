// Searches minimal sizes by trials on copies of the model, guided by how far inference gets.
#include "libcore/infer/least_sizes.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/graph/symbol_sum.hpp"
#include "libcore/infer/infer_shapes.hpp"

namespace ortool {
namespace {

constexpr std::array<std::int64_t, 17> usual_sizes = {1,  2,  3,  4,  5,   6,   7,   8,  9,
                                                      16, 32, 64, 96, 128, 224, 256, 512};
constexpr std::int64_t largest_size = 4096;
constexpr std::size_t max_candidates = 96;

bool is_number_text(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

void add_free_dimensions(const Value& input, InputSizes& sizes) {
  if (!input.type().is_tensor() || !input.type().shape) return;
  for (std::size_t i = 0; i < input.type().shape->size(); ++i) {
    const std::string name = free_dimension_name(input, i);
    if (name.empty()) continue;
    const std::vector<std::string> summands = summands_of(name);
    if (summands.empty()) sizes.emplace(name, 1);
    for (const std::string& summand : summands) {
      if (!is_number_text(summand)) sizes.emplace(summand, 1);
    }
  }
}

void add_numbers(const Tensor& tensor, std::set<std::int64_t>& numbers) {
  constexpr std::int64_t max_elements = 16;
  for (const std::int64_t size : tensor.shape()) numbers.insert(size);
  if (tensor.type() != DataType::int64 || tensor.element_count() > max_elements) return;
  const Tensor aligned = tensor.aligned();
  for (const std::int64_t number : aligned.data<std::int64_t>()) numbers.insert(number);
}

/// Sizes to try, in increasing order: common ones, and numbers that occur in the model.
std::vector<std::int64_t> candidates_of(const Model& model) {
  std::set<std::int64_t> numbers;
  for (const Graph* graph : graphs_in(model)) {
    for (const Value* value : graph->values()) {
      if (value->is_constant()) add_numbers(value->constant(), numbers);
      if (!value->type().is_tensor() || !value->type().shape) continue;
      for (const Dimension& dimension : *value->type().shape) numbers.insert(dimension.number());
    }
    for (const Node& node : graph->nodes()) {
      for (const Attribute& attribute : node.attributes()) {
        if (const auto* one = std::get_if<std::int64_t>(&attribute.value)) numbers.insert(*one);
        if (const auto* many = std::get_if<std::vector<std::int64_t>>(&attribute.value))
          numbers.insert(many->begin(), many->end());
        if (const auto* tensor = std::get_if<Tensor>(&attribute.value))
          add_numbers(*tensor, numbers);
      }
    }
  }
  std::vector<std::int64_t> result(usual_sizes.begin(), usual_sizes.end());
  for (const std::int64_t number : numbers) {
    const bool is_new = std::find(result.begin(), result.end(), number) == result.end();
    if (number > 0 && number <= largest_size && is_new && result.size() < max_candidates)
      result.push_back(number);
  }
  std::sort(result.begin(), result.end());
  return result;
}

bool has_empty_output(const Graph& graph) {
  return std::any_of(graph.outputs().begin(), graph.outputs().end(), [](const Value* output) {
    const PartialShape& shape = output->type().shape;
    return output->type().is_tensor() && shape &&
           std::any_of(shape->begin(), shape->end(), [](const Dimension& dimension) {
             return dimension.is_known() && dimension.number() == 0;
           });
  });
}

/// The result of one trial.
struct Trial {
  bool is_accepted = false;
  std::int64_t progress = 0;  ///< index of the node that failed; beyond all nodes if none did
  std::string problem;
};

class SizeSearch {
 public:
  SizeSearch(const Model& model, const LeastSizesOptions& options)
      : model_(model),
        options_(options),
        end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 std::chrono::duration<double>(options.max_seconds))) {
    for (const Value* input : model.inputs()) {
      if (!input->has_default()) add_free_dimensions(*input, sizes_);
    }
    for (const auto& [name, size] : sizes_) {
      if (!options.given.contains(name)) names_.push_back(name);
    }
    for (const auto& [name, size] : options.given) sizes_.insert_or_assign(name, size);
  }

  LeastSizes run() {
    LeastSizes result;
    result.sizes = sizes_;
    if (names_.empty()) return result;
    number_nodes(*model_.graph);
    const Trial first = try_sizes(sizes_);
    if (first.is_accepted) return result;
    result.problem = first.problem;
    candidates_ = candidates_of(model_);
    if (!raise_all() && !raise_each()) {
      result.are_accepted = false;
      return result;
    }
    lower_each();
    result.sizes = sizes_;
    return result;
  }

 private:
  bool is_over() const {
    if (options_.stop != nullptr) options_.stop->poll();
    return std::chrono::steady_clock::now() >= end_;
  }

  /// In the order of inference.
  void number_nodes(const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (const Graph* body : node.subgraphs()) number_nodes(*body);
      const auto number = static_cast<std::int64_t>(places_.size()) + 1;
      places_.try_emplace(format("'{}' ({})", node.name(), node.op_type()), number);
    }
  }

  Trial try_sizes(const InputSizes& sizes) const {
    Trial trial;
    const std::unique_ptr<Model> copy = copy_model(model_);
    try {
      set_input_sizes(*copy, sizes);
      infer_shapes(*copy);
      trial.progress = static_cast<std::int64_t>(places_.size()) + 1;
      trial.is_accepted = !has_empty_output(*copy->graph);
      if (!trial.is_accepted) trial.problem = "an output would be empty";
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid && error.code() != ErrorCode::unsupported) throw;
      const auto place = places_.find(error.node());
      trial.progress = place != places_.end() ? place->second : 0;
      trial.problem = error.what();
    }
    return trial;
  }

  InputSizes all_of(std::int64_t size) const {
    InputSizes sizes = sizes_;
    for (const std::string& name : names_) sizes[name] = size;
    return sizes;
  }

  /// Raises all sizes at once, since many models take images whose sides must match.
  bool raise_all() {
    for (const std::int64_t size : usual_sizes) {
      if (is_over()) return false;
      if (try_sizes(all_of(size)).is_accepted) {
        sizes_ = all_of(size);
        return true;
      }
    }
    return false;
  }

  /// Raises sizes one by one, each time choosing the one with which inference gets furthest; starts
  /// from small sizes first, then from sizes that leave room for windows.
  bool raise_each() {
    for (const std::int64_t size : {1, 64, 224, 512, 32, 96, 128, 256}) {
      if (raise_each_from(all_of(size))) return true;
    }
    return false;
  }

  bool raise_each_from(InputSizes best) {
    std::int64_t progress = try_sizes(best).progress;
    for (bool has_gained = true; has_gained;) {
      has_gained = false;
      const InputSizes before = best;
      for (const std::string& name : names_) {
        for (const std::int64_t size : candidates_) {
          if (is_over()) return false;
          InputSizes changed = before;
          changed[name] = size;
          const Trial trial = try_sizes(changed);
          if (trial.is_accepted) {
            sizes_ = changed;
            return true;
          }
          if (trial.progress <= progress) continue;
          progress = trial.progress;
          best = std::move(changed);
          has_gained = true;
        }
      }
    }
    return false;
  }

  bool is_accepted_with(const std::string& name, std::int64_t size) const {
    InputSizes lowered = sizes_;
    lowered[name] = size;
    return try_sizes(lowered).is_accepted;
  }

  void lower_each() {
    for (const std::string& name : names_) {
      std::int64_t refused = 0;
      for (const std::int64_t size : candidates_) {
        if (is_over() || size >= sizes_[name]) break;
        if (is_accepted_with(name, size)) {
          sizes_[name] = size;
          break;
        }
        refused = size;
      }
      // Bisection: if larger sizes are always accepted, the minimum is between the last two.
      while (sizes_[name] - refused > 1 && !is_over()) {
        const std::int64_t middle = refused + (sizes_[name] - refused) / 2;
        if (is_accepted_with(name, middle)) {
          sizes_[name] = middle;
        } else {
          refused = middle;
        }
      }
    }
  }

  const Model& model_;
  const LeastSizesOptions& options_;
  std::chrono::steady_clock::time_point end_;
  InputSizes sizes_;
  std::vector<std::string> names_;  ///< names of the free dimensions
  std::vector<std::int64_t> candidates_;
  std::unordered_map<std::string, std::int64_t> places_;  ///< of nodes, by the names used in errors
};

}  // namespace

std::string free_dimension_name(const Value& input, std::size_t index) {
  const Dimension& dimension = (*input.type().shape)[index];
  if (dimension.is_known()) return {};
  if (dimension.is_unknown() || dimension.symbol() == "?")
    return format("{}_dim_{}", input.name(), index);
  return dimension.to_string();
}

void set_input_sizes(Model& model, const InputSizes& sizes) {
  const auto number_of = [&](const std::string& name) {
    const auto found = sizes.find(name);
    return found != sizes.end() ? std::optional(found->second) : std::nullopt;
  };
  for (Value* input : model.inputs()) {
    if (!input->type().is_tensor() || !input->type().shape) continue;
    const std::size_t rank = input->type().shape->size();
    for (std::size_t i = 0; i < rank; ++i) {
      const std::string name = free_dimension_name(*input, i);
      if (name.empty()) continue;
      std::optional<std::int64_t> number = number_of(name);
      if (!number) number = called_sum(name, number_of);
      if (!number) continue;
      const Dimension& dimension = (*input->type().shape)[i];
      if (dimension.is_symbol() && dimension.symbol() == name) {
        fix_dimension(model, name, *number);
      } else {
        ValueType type = input->type();
        (*type.shape)[i] = Dimension(*number);
        input->set_type(std::move(type));
      }
    }
  }
}

LeastSizes find_least_sizes(const Model& model, const LeastSizesOptions& options) {
  return SizeSearch(model, options).run();
}

}  // namespace ortool
