// Versions of the activation functions, as ONNX lists them.
#include "libcore/ops/nn/activation.hpp"

namespace ortool {

constinit const OpSchema Relu::schema = {
    "Relu",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 13,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::floats}}},
     {.since = 14,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::floats | types_of({DataType::int16, DataType::int32, DataType::int64,
                                                DataType::int8})}}}}};

constinit const OpSchema LeakyRelu::schema = {
    "LeakyRelu",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 0.01F},
                     {"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 0.01F}},
      .types = {{"T", types::high_floats}}},
     {.since = 16,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 0.01F}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema Elu::schema = {
    "Elu",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::high_floats}}},
     {.since = 22,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema Selu::schema = {
    "Selu",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.6732F},
                     {"consumed_inputs", AttributeKind::integers},
                     {"gamma", AttributeKind::float_number, false, 1.0507F}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.6732632F},
                     {"gamma", AttributeKind::float_number, false, 1.050701F}},
      .types = {{"T", types::high_floats}}},
     {.since = 22,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.6732632F},
                     {"gamma", AttributeKind::float_number, false, 1.050701F}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema Celu::schema = {
    "Celu",
    "",
    {{.since = 12,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types_of({DataType::float32})}}},
     {.since = 28,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema ThresholdedRelu::schema = {
    "ThresholdedRelu",
    "",
    {{.since = 1,  // experimental: removed from ONNX, but still found in files
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::high_floats}}},
     {.since = 10,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::high_floats}}},
     {.since = 22,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema HardSigmoid::schema = {
    "HardSigmoid",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 0.2F},
                     {"beta", AttributeKind::float_number, false, 0.5F},
                     {"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 0.2F},
                     {"beta", AttributeKind::float_number, false, 0.5F}},
      .types = {{"T", types::high_floats}}},
     {.since = 22,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 0.2F},
                     {"beta", AttributeKind::float_number, false, 0.5F}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema HardSwish::schema = {"HardSwish",
                                              "",
                                              {{.since = 14,
                                                .inputs = {{"X", "T"}},
                                                .outputs = {{"Y", "T"}},
                                                .types = {{"T", types::high_floats}}},
                                               {.since = 22,
                                                .inputs = {{"X", "T"}},
                                                .outputs = {{"Y", "T"}},
                                                .types = {{"T", types::floats}}}}};

constinit const OpSchema Shrink::schema = {
    "Shrink",
    "",
    {{.since = 9,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"bias", AttributeKind::float_number, false, 0.0F},
                     {"lambd", AttributeKind::float_number, false, 0.5F}},
      .types = {{"T", types::numbers}}}}};

constinit const OpSchema Sigmoid::schema = {
    "Sigmoid",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 13,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema Tanh::schema = {
    "Tanh",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 13,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema Softplus::schema = {"Softplus",
                                             "",
                                             {{.since = 1,
                                               .inputs = {{"X", "T"}},
                                               .outputs = {{"Y", "T"}},
                                               .types = {{"T", types::high_floats}}},
                                              {.since = 22,
                                               .inputs = {{"X", "T"}},
                                               .outputs = {{"Y", "T"}},
                                               .types = {{"T", types::floats}}}}};

constinit const OpSchema Softsign::schema = {"Softsign",
                                             "",
                                             {{.since = 1,
                                               .inputs = {{"input", "T"}},
                                               .outputs = {{"output", "T"}},
                                               .types = {{"T", types::high_floats}}},
                                              {.since = 22,
                                               .inputs = {{"input", "T"}},
                                               .outputs = {{"output", "T"}},
                                               .types = {{"T", types::floats}}}}};

constinit const OpSchema Gelu::schema = {
    "Gelu",
    "",
    {{.since = 20,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"approximate", AttributeKind::string, false, "none"}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema Mish::schema = {"Mish",
                                         "",
                                         {{.since = 18,
                                           .inputs = {{"X", "T"}},
                                           .outputs = {{"Y", "T"}},
                                           .types = {{"T", types::high_floats}}},
                                          {.since = 22,
                                           .inputs = {{"X", "T"}},
                                           .outputs = {{"Y", "T"}},
                                           .types = {{"T", types::floats}}}}};

constinit const OpSchema Swish::schema = {
    "Swish",
    "",
    {{.since = 24,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema Erf::schema = {"Erf",
                                        "",
                                        {{.since = 9,
                                          .inputs = {{"input", "T"}},
                                          .outputs = {{"output", "T"}},
                                          .types = {{"T", types::numbers}}},
                                         {.since = 13,
                                          .inputs = {{"input", "T"}},
                                          .outputs = {{"output", "T"}},
                                          .types = {{"T", types::floats}}}}};

}  // namespace ortool
