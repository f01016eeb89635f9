// Value statistics of inspect --data: runs the model on real inputs and observes every value.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/inspect/value_statistics.hpp"
#include "libcore/json/text_sink.hpp"

namespace ortool {

struct ObservedValue {
  std::string name;
  std::string inside;  ///< the node whose body it is in; empty: the main graph
  ValueStatistics statistics;
};

/// Whether one of --data, --input, --inputs, --input-dir and --random is given. Throws
/// ErrorCode::invalid if only options are given that qualify them.
bool asks_for_data(const OptionValues& options);

/// Runs the model at `path` once per sample and examines the inputs and every computed
/// value, also in subgraphs, whose name --select matches; in execution order.
/// Unless --optimize says otherwise, every node runs by itself, so that all values exist.
/// `model` is the same model with its shapes inferred. Throws ErrorCode::unsupported for operators
/// that cannot run.
std::vector<ObservedValue> observe_values(const Invocation& invocation, const Model& model,
                                          const std::string& path);

Json value_ranges_block(const std::vector<ObservedValue>& values);
void write_value_ranges(const std::vector<ObservedValue>& values, TextSink& out);

}  // namespace ortool
