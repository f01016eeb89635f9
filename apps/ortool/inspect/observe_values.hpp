// inspect --data: runs the model on real inputs and watches every value.
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
/// ErrorCode::invalid when only options are that say more about them.
bool asks_for_data(const OptionValues& options);

/// Runs the model at `path` once for each sample and looks at the inputs and at every value that is
/// computed, those of subgraphs too, whose names --select fits; in the order of their computation.
/// Unless --optimize says otherwise, every node is computed by itself, so that each has its values.
/// `model` is the same model with its shapes inferred. Throws ErrorCode::unsupported for operators
/// that cannot run.
std::vector<ObservedValue> observe_values(const Invocation& invocation, const Model& model,
                                          const std::string& path);

Json value_ranges_block(const std::vector<ObservedValue>& values);
void write_value_ranges(const std::vector<ObservedValue>& values, TextSink& out);

}  // namespace ortool
