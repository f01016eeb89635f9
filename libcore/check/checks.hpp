// The individual checks of the model checker.
#pragma once

#include "libcore/base/stop_token.hpp"
#include "libcore/check/file_model.hpp"
#include "libcore/check/finding.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

// Checks of the file's content. Each takes time linear in the size of the file.

/// IR version, opset imports, metadata, and features newer than the IR version.
void check_versions(const FileModel& model, Findings& findings);
/// Names that are empty, not UTF-8, contain control characters, or are used by several nodes.
void check_names(const FileModel& model, Findings& findings);
/// Data flow: each value has one producer and is defined before use; no cycles, unused values, or
/// values shadowed by a subgraph.
void check_values(const FileModel& model, const StopToken& stop, Findings& findings);
/// Declarations of the main graph's inputs, outputs and initializers.
void check_interface(const FileModel& model, Findings& findings);
/// Operators against their schemas: known, not deprecated, arity, attribute names and kinds.
void check_operators(const FileModel& model, const StopToken& stop, Findings& findings);
/// Model-local functions: whether they are used, and their imports and attributes.
void check_functions_of(const FileModel& model, Findings& findings);

// Checks of the loaded model.

/// Attribute values and element types of every node.
void check_meaning(const Model& model, const StopToken& stop, Findings& findings);
/// Infers types and shapes (which modifies the model) and compares them with the declarations.
void check_shapes(Model& model, Findings& findings);

}  // namespace ortool
