// Looking an operator up in the lists of the families.
#include "libcore/ops/catalog.hpp"

#include <algorithm>
#include <utility>

#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using OperatorList = std::span<const OpEntry> (*)();

/// Big families first: a look-up asks one after the other.
constexpr OperatorList families[] = {sequence_operators, text_operators, training_operators,
                                     experimental_operators,
