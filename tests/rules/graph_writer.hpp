// Writes a graph as text, step by step, out of random numbers and the values there are.
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

/// A value of float32 that steps may read.
struct Made {
  std::string name;
  Sizes sizes;
};

class GraphWriter {
 public:
  explicit GraphWriter(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}

  /// The same numbers for the same seed.
  std::int64_t below(std::int64_t count);
  std::string fresh() { return name_of('v'); }

  /// One to three inputs, some of them with a symbol.
  void add_inputs();
  /// A value there is, mostly a late one, so that chains grow.
  const Made& pick();
  const std::vector<Made>& values() const { return values_; }
  /// A value for later steps; one of too many elements is left.
  void keep(std::string name, Sizes sizes);

  /// Constants, by their names; an element's text is asked for as often as there are elements.
  std::string constant(std::string_view type, const Sizes& sizes,
                       const std::function<std::string()>& number);
  std::string floats(const Sizes& sizes);
  std::string filled(const Sizes& sizes, const std::string& number);
  std::string integers(const Sizes& numbers);

  /// A node of one result.
  std::string node(const std::string& name, const std::string& inputs,
                   const std::string& attributes = {});
  /// Nodes as they are.
  void add_text(const std::string& nodes) { nodes_ += nodes; }

  /// The graph with two outputs.
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
