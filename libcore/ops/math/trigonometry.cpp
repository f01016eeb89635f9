// Versions of the trigonometric and hyperbolic functions; 22 added bfloat16 to all of them.
#include "libcore/ops/math/trigonometry.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<OpVersion> circular_versions = {
    {.since = 7,
     .inputs = {{"input", "T"}},
     .outputs = {{"output", "T"}},
     .types = {{"T", types::high_floats}}},
    {.since = 22,
     .inputs = {{"input", "T"}},
     .outputs = {{"output", "T"}},
     .types = {{"T", types::floats}}}};

constexpr std::initializer_list<OpVersion> hyperbolic_versions = {
    {.since = 9,
     .inputs = {{"input", "T"}},
     .outputs = {{"output", "T"}},
     .types = {{"T", types::high_floats}}},
    {.since = 22,
     .inputs = {{"input", "T"}},
     .outputs = {{"output", "T"}},
     .types = {{"T", types::floats}}}};

}  // namespace

constinit const OpSchema Acos::schema = {"Acos", "", circular_versions};
constinit const OpSchema Asin::schema = {"Asin", "", circular_versions};
constinit const OpSchema Atan::schema = {"Atan", "", circular_versions};
constinit const OpSchema Cos::schema = {"Cos", "", circular_versions};
constinit const OpSchema Sin::schema = {"Sin", "", circular_versions};
constinit const OpSchema Tan::schema = {"Tan", "", circular_versions};
constinit const OpSchema Acosh::schema = {"Acosh", "", hyperbolic_versions};
constinit const OpSchema Asinh::schema = {"Asinh", "", hyperbolic_versions};
constinit const OpSchema Atanh::schema = {"Atanh", "", hyperbolic_versions};
constinit const OpSchema Cosh::schema = {"Cosh", "", hyperbolic_versions};
constinit const OpSchema Sinh::schema = {"Sinh", "", hyperbolic_versions};

}  // namespace ortool
