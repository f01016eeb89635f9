// All passes, listed by source file.
#pragma once

#include "libcore/optimize/rewrite/pass.hpp"

namespace ortool {

// libcore/optimize/passes/inline_functions.cpp
Pass inline_functions_pass();

// libcore/optimize/passes/
Pass fold_shapes();          // fold_shapes.cpp
Pass fold_constants();       // fold_constants.cpp
Pass inline_branches();      // inline_branches.cpp
Pass unroll_loops();         // unroll_loops.cpp
Pass share_constants();      // share_constants.cpp
Pass share_nodes();          // share_nodes.cpp
Pass remove_unread_nodes();  // remove_unread_nodes.cpp
Pass remove_zero_states();   // remove_zero_states.cpp
Pass merge_products();       // fuse_horizontal_products.cpp
Pass merge_biased_products();
Pass fuse_slices();  // fuse_slices.cpp

/// The same as the pass, for one graph without its subgraphs; for DequantizeLinear nodes, which
/// must remain until QDQ clusters have been matched.
void fold_constants(Graph& graph, const RewriteOptions& options, RewriteReport& report);

}  // namespace ortool
