// Load limits: nodes, names and memory that one file may cause, so that a small file cannot exhaust
// the machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace ortool::onnx {

/// Counts what is created against fixed limits and the size of the file.
class LoadBudget {
 public:
  static constexpr std::int64_t max_nodes = 1'000'000;
  static constexpr std::int64_t max_attributes_a_node = 512;
  /// Limits for one densified sparse initializer, and for all of a file.
  static constexpr std::int64_t max_dense_bytes = std::int64_t{128} << 20;

  /// Keeps the process below 256 MB or four times the file size, whichever is larger.
  explicit LoadBudget(std::int64_t file_bytes)
      : max_bytes_(std::max(std::int64_t{192} << 20, 3 * file_bytes)) {}

  /// Throws ErrorCode::invalid, "limit.nodes".
  void take_node();
  /// Throws ErrorCode::memory_limit, "limit.memory"; `what` names the kind of data.
  void take_bytes(std::int64_t bytes, std::string_view what);
  /// Same for sparse tensors that are made dense.
  void take_dense_bytes(std::int64_t bytes);

 private:
  std::int64_t max_bytes_;
  std::int64_t bytes_ = 0;
  std::int64_t nodes_ = 0;
  std::int64_t dense_bytes_ = 0;
};

}  // namespace ortool::onnx
