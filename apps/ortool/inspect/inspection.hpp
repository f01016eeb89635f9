// Inspection of a model: everything that inspect reports, and its output formats.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/inspect/assertions.hpp"
#include "apps/ortool/inspect/graph_block.hpp"
#include "apps/ortool/inspect/observe_values.hpp"
#include "apps/ortool/inspect/placement_report.hpp"
#include "libcore/inspect/quantization.hpp"
#include "libcore/inspect/summary.hpp"

namespace ortool {

struct InspectionOptions {
  GraphBlockOptions blocks;
  bool reads_weights = true;
  bool has_figures = true;  ///< false: the summary stays empty, for a drawing only
};

/// Lives as long as the report's streamed parts.
class Inspection {
 public:
  /// Types and shapes of `model` have been inferred.
  Inspection(std::unique_ptr<Model> model, std::string path, InspectionOptions options);
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;

  const Model& model() const { return *model_; }
  const std::string& path() const { return path_; }
  const InspectionOptions& options() const { return options_; }
  const BlockBuilder& blocks() const { return blocks_; }
  const Summary& summary() const { return summary_; }
  const QuantizationReadout& quantization() const { return quantization_; }

  std::vector<Assertion> assertions;
  std::vector<ObservedValue> ranges;  ///< of --data
  PlacementReport placement;          ///< of --placement

 private:
  const std::unique_ptr<Model> model_;
  const std::string path_;
  const InspectionOptions options_;
  const BlockBuilder blocks_;
  Summary summary_;
  QuantizationReadout quantization_;
};

/// The keys of the JSON document; `inspection` must live until it is written.
void add_payload(const Inspection& inspection, Json& payload);

/// One JSON object per line, except the header.
void write_json_lines(const Inspection& inspection, TextSink& out);

}  // namespace ortool
