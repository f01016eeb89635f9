// Registered operators: those that programs and libraries add to the catalog, and may take back.
#pragma once

#include <string_view>

namespace ortool {

/// Whether register_op() added the operator.
bool is_registered_op(std::string_view domain, std::string_view op_type);

/// Takes back what register_op() added; does nothing if there is no such operator. Entries found
/// before stay valid, and models loaded before keep their nodes. Not for built-in operators.
void unregister_op(std::string_view domain, std::string_view op_type);

}  // namespace ortool
