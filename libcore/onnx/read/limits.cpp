// Accounting of what is loaded against fixed limits.
#include "libcore/onnx/read/limits.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::onnx {

void LoadBudget::take_node() {
  if (++nodes_ <= max_nodes) return;
  throw Error(ErrorCode::invalid, format("the model has more than {} nodes", max_nodes),
              "split the model, or write what repeats as a Loop")
      .with_id("limit.nodes");
}

void LoadBudget::take_bytes(std::int64_t bytes, std::string_view what) {
  if (bytes <= max_bytes_ - bytes_) {
    bytes_ += bytes;
    return;
  }
  throw Error(ErrorCode::memory_limit,
              format("the model's graph takes more than {} MB of memory, most recently for {}",
                     max_bytes_ >> 20, what),
              "the file looks crafted: no real model of this size expands to so much")
      .with_id("limit.memory");
}

void LoadBudget::take_dense_bytes(std::int64_t bytes) {
  if (bytes <= max_dense_bytes - dense_bytes_) {
    dense_bytes_ += bytes;
    return;
  }
  throw Error(
      ErrorCode::memory_limit,
      format("sparse initializers take more than {} MB once made dense", max_dense_bytes >> 20),
      "store them as dense tensors in external data")
      .with_id("limit.memory");
}

}  // namespace ortool::onnx
