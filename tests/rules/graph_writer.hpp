// Writes a random graph as text, node by node, from the values added so far.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ortool::test {

using Sizes = std::vector<std::int64_t>;

std::int64_t count_of(const Sizes& sizes);
/// "2, 3"
std::string list(const Sizes& numbers);

/// A float32 value that later nodes may read.
struct Made {
  std::string name;
  Sizes sizes;
};

class GraphWriter {
 public:
  explicit GraphWriter(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}

  /// A random number below `count`, reproducible by seed.
  std::int64_t below(std::int64_t count);
  std::string fresh() { return name_of('v'); }

  /// Adds one to three inputs, some of them with a symbol.
  void add_inputs();
  /// An existing value, mostly a recent one, so that chains grow.
  const Made& pick();
  const std::vector<Made>& values() const { return values_; }
  /// Offers a value to later nodes unless it has too many elements.
  void keep(std::string name, Sizes sizes);

  /// Adds a constant and returns its name; `number` is called once per element.
  std::string constant(std::string_view type, const Sizes& sizes,
                       const std::function<std::string()>& number);
  std::string floats(const Sizes& sizes);
  std::string filled(const Sizes& sizes, const std::string& number);
  std::string integers(const Sizes& numbers);

  /// Adds a node and returns the name of its only output.
  std::string node(const std::string& name, const std::string& inputs,
                   const std::string& attributes = {});
  /// Adds nodes verbatim.
  void add_text(const std::string& nodes) { nodes_ += nodes; }

  /// The text of the graph, with two outputs.
  std::string finish();

 private:
  std::string name_of(char letter) { return letter + std::to_string(next_++); }
  Sizes random_sizes();

  std::uint64_t state_;
  std::int64_t next_ = 0;
  std::vector<Made> values_;
  std::string inputs_;
  std::string constants_ = "float none = {0}";
  std::string nodes_;
};

}  // namespace ortool::test
