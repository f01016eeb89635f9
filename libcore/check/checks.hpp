// The single checks, each looking at a model from one side.
#pragma once

#include "libcore/base/stop_token.hpp"
#include "libcore/check/file_model.hpp"
#include "libcore/check/finding.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

// Of the file as it is. All of them need time that grows as the file does.

/// IR version, opset imports, metadata, and what is newer than the IR version says.
void check_versions(const FileModel& model, Findings& findings);
/// Names: empty, not UTF-8, with control characters, given twice to nodes.
void check_names(const FileModel& model, Findings& findings);
/// Where values come from: one source each, made before they are read, no circles, nothing unused,
/// nothing hidden by a subgraph.
void check_values(const FileModel& model, const StopToken& stop, Findings& findings);
/// What the main graph says of its inputs, outputs and initialisers.
void check_interface(const FileModel& model, Findings& findings);
/// Operators against their schemas: known, not deprecated, arity, attribute names and kinds.
void check_operators(const FileModel& model, const StopToken& stop, Findings& findings);
/// Model-local functions: used, imports and attributes in order.
void check_functions_of(const FileModel& model, Findings& findings);

// Of the model once it is loaded.

/// Attribute values and element types of every node.
void check_meaning(const Model& model, const StopToken& stop, Findings& findings);
/// Infers types and shapes (which changes the model) and compares them with what the file declares.
void check_shapes(Model& model, Findings& findings);

}  // namespace ortool
