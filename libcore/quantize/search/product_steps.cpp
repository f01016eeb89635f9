// Bias correction schedule: a forward pass computes the depths of products.
#include "libcore/quantize/search/product_steps.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

/// The products upstream of a value: the depth, and the nearest ones.
struct Before {
  std::size_t depth = 0;
  std::set<std::size_t> nearest;

  void join(const Before& other) {
    depth = std::max(depth, other.depth);
    nearest.insert(other.nearest.begin(), other.nearest.end());
  }
};

class DepthFinder {
 public:
  explicit DepthFinder(const std::vector<std::string>& products) {
    for (std::size_t i = 0; i < products.size(); ++i) index_of_.emplace(products[i], i);
  }

  void visit(const Graph& graph) {
    for (const Node& node : graph.nodes()) visit(node);
  }

  const std::map<std::size_t, std::size_t>& depths() const { return depths_; }
  bool is_read(std::size_t product) const { return read_.contains(product); }

 private:
  Before before(const Value* value) const {
    while (value != nullptr && value->captured() != nullptr) value = value->captured();
    const auto found = before_.find(value);
    return found != before_.end() ? found->second : Before{};
  }

  void visit(const Node& node) {
    Before joined;
    for (std::int64_t i = 0; i < node.input_count(); ++i) joined.join(before(node.input(i)));
    for (const Graph* body : node.subgraphs()) {
      visit(*body);
      for (const Value* output : body->outputs()) joined.join(before(output));
    }
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) == nullptr) continue;
      const auto product = index_of_.find(node.output(i)->name());
      before_[node.output(i)] =
          product != index_of_.end() ? behind(product->second, joined) : joined;
    }
  }

  /// The upstream of a product's own result.
  Before behind(std::size_t product, const Before& joined) {
    read_.insert(joined.nearest.begin(), joined.nearest.end());
    depths_[product] = joined.depth + 1;
    return {joined.depth + 1, {product}};
  }

  std::map<std::string, std::size_t, std::less<>> index_of_;
  std::unordered_map<const Value*, Before> before_;
  std::map<std::size_t, std::size_t> depths_;
  std::set<std::size_t> read_;  ///< products that another depends on
};

}  // namespace

std::vector<std::vector<std::size_t>> product_steps(const Graph& graph,
                                                    const std::vector<std::string>& products,
                                                    std::size_t max_before) {
  DepthFinder finder(products);
  finder.visit(graph);
  std::map<std::size_t, std::vector<std::size_t>> by_depth;
  std::vector<std::size_t> last;
  for (const auto& [product, depth] : finder.depths()) {
    std::vector<std::size_t>& group = finder.is_read(product) ? by_depth[depth] : last;
    group.push_back(product);
  }
  std::vector<std::vector<std::size_t>> quantized;
  for (auto& [depth, group] : by_depth) quantized.push_back(std::move(group));
  std::vector<std::vector<std::size_t>> steps;
  const std::size_t count = std::min(quantized.size(), max_before);
  for (std::size_t i = 0; i < count; ++i)
    steps.push_back(std::move(quantized[(i + 1) * quantized.size() / count - 1]));
  if (!last.empty()) steps.push_back(std::move(last));
  return steps;
}

}  // namespace ortool
