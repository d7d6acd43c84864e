#include "core/model/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/model/graph_pool.h"
#include "core/model/name_index.h"
#include "core/model/operators/operator_table.h"
#include "core/model/operators/rule_context.h"

namespace tessera::model {

namespace {

/// Elements that are known, and whether all of them are.
struct Known {
    Elements elements;
    bool complete = false;
};

/// All elements that one build may fold, so that a hostile file can take neither time nor memory.
constexpr std::int64_t kFoldBudget = std::int64_t{1} << 24;
constexpr std::int64_t kMaxSmallConstant = 64;

enum Use : std::uint8_t { asStatistic = 1, otherwise = 2, stored = 4 };

bool isStandardDomain(std::string_view domain) {
    return domain.empty() || domain == "ai.onnx";
}

constexpr std::size_t kMaxListedKinds = 20;

/// The elements of a `value_float`, `value_ints`, ... attribute, or of the pair `value` and `value_type`.
struct ConstantForm {
    const char* attribute;
    DataType type;
    bool isList;
};

constexpr std::array kConstantForms{
    ConstantForm{"value_float", DataType::float32, false}, ConstantForm{"value_int", DataType::int64, false},
    ConstantForm{"value_string", DataType::string, false}, ConstantForm{"value_floats", DataType::float32, true},
    ConstantForm{"value_ints", DataType::int64, true},     ConstantForm{"value_strings", DataType::string, true},
};

struct OpaqueKind {
    std::string title;
    std::string first;
    std::size_t count = 0;
};

std::string countText(const Arity& arity, const char* thing) {
    if (arity.max == Arity::kAny) return fmt::format("at least {} {}{}", arity.min, thing, arity.min == 1 ? "" : "s");
    if (arity.min == arity.max) return fmt::format("{} {}{}", arity.min, thing, arity.min == 1 ? "" : "s");
    return fmt::format("{} to {} {}s", arity.min, arity.max, thing);
}

}  // namespace

struct GraphBuilder::State {
    std::string file;
    Graph graph;
    NameIndex<Tensor> tensors;
    NameIndex<Operator> operators;
    std::vector<std::int32_t> knownOf;  ///< by tensor: index into `known`, or -1
    std::vector<std::uint8_t> uses;     ///< by tensor: bits of Use
    GraphPool pool;
    std::deque<Known> known;
    std::int64_t folded = 0;
    bool foldingEnded = false;
    std::unordered_map<std::string, std::int64_t> copies;  ///< by name of operators: number of the last copy
    std::size_t renamed = 0;
    std::string firstRenamed;
    std::vector<OpaqueKind> opaque;
    std::unordered_map<std::string, std::size_t> opaqueOf;
    std::vector<RuleInput> ruleInputs;
    std::vector<RuleOutput> ruleOutputs;

    [[noreturn]] void fail(std::string where, std::string found, std::string expected) const {
        throw DataError({.file = file, .where = std::move(where)}, std::move(found), std::move(expected));
    }
    TensorIndex indexOf(std::string_view name) const { return tensors.find(graph.tensors, name); }
    TensorIndex existing(const std::string& name) const;
    void checkSize(const Tensor& tensor) const;
    TensorIndex addTensor(Tensor tensor);
    TensorIndex addValue(const std::string& name, DataType type, std::vector<std::int64_t> shape);
    void remember(TensorIndex tensor, Elements elements);
    const Elements* elementsOf(TensorIndex tensor) const;

    std::string addConstantOperator(const OperatorSpec& spec, const Attributes& attributes);
    void storeConstant(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                       std::optional<Elements> elements);
    void setName(Operator& op, std::string name);
    std::vector<TensorIndex> inputsOf(const OperatorSpec& spec, const Operator& op) const;
    void checkCounts(const OperatorKind& kind, const Operator& op, const OperatorSpec& spec) const;
    void checkOutputs(const OperatorSpec& spec, const Operator& op) const;
    void applyRules(const OperatorKind& kind, const Operator& op);
    std::int64_t foldingWork() const;
    bool mayFold(std::int64_t work);
    TensorRole roleOf(const Operator& op, DataType type) const;
    void addOutputs(const OperatorSpec& spec, Operator& op);
    void noteUses(const Operator& op);
    void noteOpaque(Operator& op);
    void summariseWarnings();
    void setStatistics();
    void setBatch();
    void checkTotal() const;
};

TensorIndex GraphBuilder::State::existing(const std::string& name) const {
    const TensorIndex index = indexOf(name);
    if (index == kNoTensor) fail("tensor " + inQuotes(name), "no such tensor", "a tensor that was added before");
    return index;
}

void GraphBuilder::State::checkSize(const Tensor& tensor) const {
    if (!tensor.shape) return;
    const auto refuse = [&](std::string found, std::string expected) {
        fail("tensor " + inQuotes(tensor.name), std::move(found), std::move(expected));
    };
    if (tensor.shape->size() > kMaxDimensions)
        refuse(fmt::format("{} dimensions", tensor.shape->size()), fmt::format("at most {}", kMaxDimensions));
    std::int64_t count = 1;
    bool isEmpty = false;
    bool fits = true;
    for (const std::int64_t dim : *tensor.shape) {
        if (dim < 0 && dim != kUnknown) refuse(fmt::format("a dimension of {}", dim), "a dimension of 0 or more");
        if (dim == 0) isEmpty = true;
        if (dim > 0) fits = fits && !__builtin_mul_overflow(count, dim, &count) && count <= kMaxElements;
        fits = fits && dim <= kMaxElements;
    }
    if (!fits && !isEmpty) refuse("shape " + toText(tensor.shape), "at most 2^53 elements in a tensor");
}

TensorIndex GraphBuilder::State::addTensor(Tensor tensor) {
    checkSize(tensor);
    if (indexOf(tensor.name) != kNoTensor)
        fail("tensor " + inQuotes(tensor.name), "a second tensor of that name", "every tensor to be made once");
    const auto index = static_cast<TensorIndex>(graph.tensors.size());
    tensors.add(tensor.name, index);
    graph.tensors.push_back(std::move(tensor));
    knownOf.push_back(-1);
    uses.push_back(0);
    return index;
}

TensorIndex GraphBuilder::State::addValue(const std::string& name, DataType type, std::vector<std::int64_t> shape) {
    for (const std::int64_t dim : shape)
        if (dim < 0)
            fail("tensor " + inQuotes(name), fmt::format("a dimension of {}", dim), "a dimension of 0 or more");
    Tensor tensor;
    tensor.name = name;
    tensor.type = type;
    tensor.shape = pool.shape(std::move(shape));
    tensor.role = TensorRole::constant;
    const TensorIndex index = addTensor(std::move(tensor));
    uses[toIndex(index)] |= stored;
    return index;
}

void GraphBuilder::State::remember(TensorIndex tensor, Elements elements) {
    const auto count = elementCount(graph.tensor(tensor).shape);
    const auto size = static_cast<std::int64_t>(elements.size());
    if (!count || *count != size || size > kMaxFolded) return;
    if (folded + size + 1 > kFoldBudget) {
        foldingEnded = true;
        return;
    }
    folded += size + 1;
    const bool complete = std::all_of(elements.begin(), elements.end(), isKnownElement);
    if (!complete && std::none_of(elements.begin(), elements.end(), isKnownElement)) return;
    knownOf[toIndex(tensor)] = static_cast<std::int32_t>(known.size());
    known.push_back({.elements = std::move(elements), .complete = complete});
}

const Elements* GraphBuilder::State::elementsOf(TensorIndex tensor) const {
    const std::int32_t index = knownOf[toIndex(tensor)];
    return index < 0 ? nullptr : &known[toIndex(index)].elements;
}

/// Gives the operator a name that no other has.
void GraphBuilder::State::setName(Operator& op, std::string name) {
    const bool given = !name.empty();
    if (!given) name = fmt::format("{}_{}", op.type.get(), graph.operators.size());
    if (operators.find(graph.operators, name) >= 0) {
        std::int64_t& copy = copies[name];
        if (copy == 0) copy = 1;
        std::string free;
        do {
            free = fmt::format("{}_{}", name, ++copy);
        } while (operators.find(graph.operators, free) >= 0);
        if (given && renamed++ == 0) firstRenamed = name;
        name = std::move(free);
    }
    op.name = std::move(name);
}

std::vector<TensorIndex> GraphBuilder::State::inputsOf(const OperatorSpec& spec, const Operator& op) const {
    std::vector<TensorIndex> inputs;
    inputs.reserve(spec.inputs.size());
    for (const std::string& name : spec.inputs) {
        const TensorIndex index = name.empty() ? kNoTensor : indexOf(name);
        if (index == kNoTensor && !name.empty())
            fail(describeOperator(op.name, op.type), "the input " + inQuotes(name) + ", which nothing makes",
                 "inputs that are made before");
        inputs.push_back(index);
    }
    // A trailing optional input that is left out is the same as none.
    while (!inputs.empty() && inputs.back() == kNoTensor) inputs.pop_back();
    return inputs;
}

void GraphBuilder::State::checkCounts(const OperatorKind& kind, const Operator& op, const OperatorSpec& spec) const {
    const auto check = [&](std::size_t count, const Arity& arity, const char* thing) {
        if (count >= arity.min && count <= arity.max) return;
        fail(describeOperator(op.name, op.type), fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s"),
             countText(arity, thing));
    };
    check(op.inputs.size(), kind.inputs, "input");
    std::size_t outputs = spec.outputs.size();
    while (outputs > 0 && spec.outputs[outputs - 1].empty()) --outputs;
    check(outputs, kind.outputs, "output");
    for (std::size_t i = 0; i < kind.inputs.min; ++i)
        if (op.inputs[i] == kNoTensor)
            fail(fmt::format("{}, input {}", describeOperator(op.name, op.type), i + 1), "nothing",
                 "an input, which this operator needs");
}

void GraphBuilder::State::checkOutputs(const OperatorSpec& spec, const Operator& op) const {
    if (std::all_of(spec.outputs.begin(), spec.outputs.end(), [](const std::string& name) { return name.empty(); }))
        fail(describeOperator(op.name, op.type), "no output", "at least 1 output");
    for (const std::string& name : spec.outputs) {
        if (name.empty()) continue;
        if (indexOf(name) != kNoTensor)
            fail(describeOperator(op.name, op.type), "the output " + inQuotes(name) + ", which is already made",
                 "every tensor to be made once");
    }
}

/// What folding costs: what rules make, for each of their inputs, and a part of what they read. Negative where the
/// operator makes more than is folded.
std::int64_t GraphBuilder::State::foldingWork() const {
    std::int64_t work = 0;
    for (const RuleInput& input : ruleInputs)
        if (input.elements != nullptr) work += static_cast<std::int64_t>(input.elements->size()) / 16;
    for (const RuleOutput& output : ruleOutputs) {
        const auto count = elementCount(output.shape);
        if (!count || *count > kMaxFolded) return -1;
        work += *count * static_cast<std::int64_t>(std::max<std::size_t>(ruleInputs.size(), 1));
    }
    return work;
}

/// Folding has a budget for the whole graph.
bool GraphBuilder::State::mayFold(std::int64_t work) {
    if (work < 0) return false;
    if (folded + work > kFoldBudget) {
        foldingEnded = true;
        return false;
    }
    folded += work;
    return true;
}

void GraphBuilder::State::applyRules(const OperatorKind& kind, const Operator& op) {
    ruleInputs.clear();
    bool anyKnown = false;
    for (const TensorIndex input : op.inputs) {
        RuleInput& view = ruleInputs.emplace_back();
        if (input == kNoTensor) continue;
        view.tensor = &graph.tensors[toIndex(input)];
        view.elements = elementsOf(input);
        anyKnown = anyKnown || view.elements != nullptr;
    }
    RuleContext context(
        {.file = file, .name = op.name, .type = op.type, .attributes = op.attributes, .opset = graph.opset}, ruleInputs,
        ruleOutputs);
    kind.shape(context);
    // Shape and Size read no elements.
    const bool readsShape = op.type == "Shape" || op.type == "Size";
    if (kind.fold == nullptr || (!anyKnown && !readsShape && !op.inputs.empty())) return;
    const std::int64_t work = foldingWork();
    if (!mayFold(work)) return;
    kind.fold(context);
    // Rules do nothing where the data is not known, such as activations that are reshaped: that takes nothing.
    const bool idle = !ruleInputs.empty() && ruleInputs.front().elements == nullptr &&
                      std::none_of(ruleOutputs.begin(), ruleOutputs.end(),
                                   [](const RuleOutput& output) { return output.elements.has_value(); });
    if (idle) folded -= work;
}

/// `activation` where the data of an input goes into the output; the way through Shape and Size does not count.
TensorRole GraphBuilder::State::roleOf(const Operator& op, DataType type) const {
    if (op.type == "Shape" || op.type == "Size") return TensorRole::derived;
    for (const TensorIndex input : op.inputs) {
        if (input == kNoTensor) continue;
        const TensorRole role = graph.tensor(input).role;
        if (role == TensorRole::input || role == TensorRole::activation) return TensorRole::activation;
    }
    // Files without weights write a weight as ConstantOfShape of a stored shape.
    const bool isWeight = op.type == "ConstantOfShape" && !op.inputs.empty() &&
                          (uses[toIndex(op.inputs.front())] & stored) != 0 && isFloat(type);
    return isWeight ? TensorRole::parameter : TensorRole::derived;
}

void GraphBuilder::State::addOutputs(const OperatorSpec& spec, Operator& op) {
    op.outputs.reserve(spec.outputs.size());
    for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
        if (spec.outputs[i].empty()) {
            op.outputs.push_back(kNoTensor);
            continue;
        }
        RuleOutput& made = ruleOutputs[i];
        Tensor tensor;
        tensor.name = spec.outputs[i];
        tensor.type = made.type;
        tensor.shape = pool.shape(made.shape);
        tensor.symbols = std::move(made.symbols);
        tensor.role = roleOf(op, made.type);
        op.outputs.push_back(addTensor(std::move(tensor)));
        if (made.elements) remember(op.outputs.back(), std::move(*made.elements));
    }
}

void GraphBuilder::State::noteUses(const Operator& op) {
    const bool isNorm = op.type == "BatchNormalization";
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (op.inputs[i] == kNoTensor) continue;
        uses[toIndex(op.inputs[i])] |= isNorm && (i == 3 || i == 4) ? asStatistic : otherwise;
    }
}

void GraphBuilder::State::noteOpaque(Operator& op) {
    op.opaque =
        pool.text(op.domain.empty() ? "not an operator that is known"
                                    : fmt::format("not an operator that is known (domain {})", inQuotes(op.domain)));
    const std::string key = op.domain.get() + '\n' + op.type.get();
    const auto [entry, isNew] = opaqueOf.emplace(key, opaque.size());
    if (isNew && opaque.size() > kMaxListedKinds) entry->second = kMaxListedKinds;
    if (isNew && opaque.size() <= kMaxListedKinds) {
        std::string title = inQuotes(op.type);
        if (!op.domain.empty()) title += " of domain " + inQuotes(op.domain);
        opaque.push_back({.title = std::move(title), .first = op.name});
    }
    ++opaque[entry->second].count;
}

GraphBuilder::GraphBuilder(std::string name, std::string file, std::int64_t opset) : state_(std::make_unique<State>()) {
    state_->file = std::move(file);
    state_->graph.opset = opset;
    state_->graph.name = std::move(name);
}

GraphBuilder::~GraphBuilder() = default;
GraphBuilder::GraphBuilder(GraphBuilder&&) noexcept = default;
GraphBuilder& GraphBuilder::operator=(GraphBuilder&&) noexcept = default;

void GraphBuilder::addInput(const std::string& name, DataType type, const Shape& shape, Symbols symbols) {
    Tensor tensor;
    tensor.name = name;
    tensor.type = type;
    tensor.shape = state_->pool.shape(shape);
    tensor.symbols = std::move(symbols);
    tensor.role = TensorRole::input;
    const TensorIndex index = state_->addTensor(std::move(tensor));
    state_->graph.inputs.push_back(index);
}

void GraphBuilder::addStored(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                             std::vector<double> values) {
    const TensorIndex index = state_->addValue(name, type, std::move(shape));
    if (isFloat(type)) state_->graph.tensors[toIndex(index)].role = TensorRole::parameter;
    if (!values.empty()) state_->remember(index, std::move(values));
}

void GraphBuilder::addConstant(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                               std::optional<std::vector<double>> values) {
    state_->storeConstant(name, type, std::move(shape), std::move(values));
}

void GraphBuilder::declare(const std::string& name, DataType type, const Shape& shape) {
    Tensor& tensor = state_->graph.tensors[toIndex(state_->existing(name))];
    Tensor declared;
    declared.name = name;
    declared.shape = shape;
    state_->checkSize(declared);
    if (tensor.type == DataType::undefined) tensor.type = type;
    if (!shape) return;
    if (!tensor.shape) {
        tensor.shape = state_->pool.shape(shape);
        return;
    }
    if (tensor.shape->size() != shape->size()) return;
    Dims known = *tensor.shape;
    for (std::size_t axis = 0; axis < shape->size(); ++axis)
        if (known[axis] == kUnknown) known[axis] = (*shape)[axis];
    declared.shape = state_->pool.shape(known);
    state_->checkSize(declared);
    if (!tensor.symbols->empty()) {
        Symbols left = tensor.symbols;
        std::erase_if(
            left, [&](const auto& symbol) { return symbol.first < known.size() && known[symbol.first] != kUnknown; });
        tensor.symbols = std::move(left);
    }
    tensor.shape = declared.shape;
}

const std::vector<double>* GraphBuilder::values(const std::string& name) const {
    const TensorIndex index = state_->indexOf(name);
    if (index == kNoTensor || state_->knownOf[toIndex(index)] < 0) return nullptr;
    const Known& known = state_->known[toIndex(state_->knownOf[toIndex(index)])];
    return known.complete ? &known.elements : nullptr;
}

std::string GraphBuilder::State::addConstantOperator(const OperatorSpec& spec, const Attributes& attributes) {
    const std::string where = describeOperator(spec.name, "Constant");
    if (spec.outputs.size() != 1 || spec.outputs.front().empty())
        fail(where, spec.outputs.empty() ? "no output" : "other than one output", "1 output");
    if (!spec.inputs.empty()) fail(where, "inputs", "no inputs");
    RuleContext context(
        {.file = file, .name = spec.name, .type = "Constant", .attributes = attributes, .opset = graph.opset},
        ruleInputs, ruleOutputs);
    for (const ConstantForm& form : kConstantForms) {
        const auto found = attributes.find(form.attribute);
        if (found == attributes.end()) continue;
        std::optional<Elements> elements;
        std::size_t size = 1;
        if (const auto* const texts = std::get_if<std::vector<std::string>>(&found->second))
            size = texts->size();
        else if (form.type != DataType::string)
            size = (elements = context.reals(form.attribute))->size();
        std::vector<std::int64_t> shape;
        if (form.isList) shape.push_back(static_cast<std::int64_t>(size));
        storeConstant(spec.outputs.front(), form.type, std::move(shape), std::move(elements));
        return spec.outputs.front();
    }
    const auto list = context.reals("value");
    if (!list) fail(where, "no value", "one of the attributes that hold a value");
    const std::int64_t type = context.integer("value_type", static_cast<std::int64_t>(DataType::float32));
    std::vector<std::int64_t> shape{static_cast<std::int64_t>(list->size())};
    if (const auto given = context.integers("value_shape")) shape = *given;
    storeConstant(spec.outputs.front(), static_cast<DataType>(type), std::move(shape), *list);
    return spec.outputs.front();
}

void GraphBuilder::State::storeConstant(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                                        std::optional<Elements> elements) {
    const TensorIndex index = addValue(name, type, std::move(shape));
    Tensor& tensor = graph.tensors[toIndex(index)];
    if (isFloat(type) && elementCount(tensor.shape).value_or(0) > kMaxSmallConstant)
        tensor.role = TensorRole::parameter;
    if (elements) remember(index, std::move(*elements));
}

std::string GraphBuilder::add(OperatorSpec spec) {
    State& state = *state_;
    Operator op;
    op.type = state.pool.text(spec.type);
    op.domain = state.pool.text(spec.domain);
    op.attributes = state.pool.attributes(std::move(spec.attributes));
    op.layer = state.pool.text(spec.layer);
    op.block = state.pool.text(spec.block);
    op.body = state.pool.text(spec.body);
    if (op.type == "Constant" && isStandardDomain(op.domain)) return state.addConstantOperator(spec, op.attributes);
    if (op.type.empty()) state.fail("node " + inQuotes(spec.name), "no operator", "the name of an operator");
    state.setName(op, std::move(spec.name));
    op.inputs = state.inputsOf(spec, op);
    state.checkOutputs(spec, op);
    state.ruleOutputs.assign(spec.outputs.size(), {});
    if (const OperatorKind* const kind = findOperatorKind(op.type, op.domain)) {
        state.checkCounts(*kind, op, spec);
        state.applyRules(*kind, op);
    } else {
        state.noteOpaque(op);
    }
    state.addOutputs(spec, op);
    state.noteUses(op);
    state.operators.add(op.name, static_cast<std::int32_t>(state.graph.operators.size()));
    state.graph.operators.push_back(std::move(op));
    return spec.outputs.front();
}

void GraphBuilder::addOutput(const std::string& name) {
    state_->graph.outputs.push_back(state_->existing(name));
}

bool GraphBuilder::has(const std::string& tensor) const {
    return state_->indexOf(tensor) != kNoTensor;
}

const Tensor& GraphBuilder::tensor(const std::string& name) const {
    return state_->graph.tensors[toIndex(state_->existing(name))];
}

void GraphBuilder::warn(std::string sentence) {
    state_->graph.warnings.push_back(std::move(sentence));
}

void GraphBuilder::note(std::string sentence) {
    state_->graph.notes.push_back(std::move(sentence));
}

void GraphBuilder::State::summariseWarnings() {
    if (renamed > 0)
        graph.warnings.push_back(
            renamed == 1
                ? fmt::format("One node has the name {} of another; it was given a name of its own.",
                              inQuotes(firstRenamed))
                : fmt::format("{} nodes have the names of others, first {}; they were given names of their own.",
                              renamed, inQuotes(firstRenamed)));
    for (std::size_t i = 0; i < opaque.size(); ++i) {
        const OpaqueKind& kind = opaque[i];
        const std::string operatorName =
            i < kMaxListedKinds ? "Operator " + kind.title + " is" : "Further operators are";
        graph.warnings.push_back(fmt::format(
            "{} not known ({}, first {}): what it makes has unknown shapes and no cost, and only its tensors count.",
            operatorName, kind.count == 1 ? "1 node" : fmt::format("{} nodes", kind.count), inQuotes(kind.first)));
    }
    if (foldingEnded)
        graph.warnings.emplace_back(
            "The graph computes more constants than are folded; some shapes may be unknown because of that.");
}

/// Running mean and variance are what only normalisations read, and only as such.
void GraphBuilder::State::setStatistics() {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i)
        if (graph.tensors[i].role == TensorRole::parameter && (uses[i] & (asStatistic | otherwise)) == asStatistic)
            graph.tensors[i].role = TensorRole::statistic;
}

void GraphBuilder::State::setBatch() {
    for (const TensorIndex input : graph.inputs) {
        const Shape& shape = graph.tensor(input).shape;
        if (!shape || shape->empty() || shape->front() <= 0) continue;
        graph.batch = shape->front();
        return;
    }
}

void GraphBuilder::State::checkTotal() const {
    double bytes = 0;
    for (const Tensor& tensor : graph.tensors)
        if (const auto count = elementCount(tensor.shape))
            bytes += static_cast<double>(*count) * bytesPerElement(tensor.type);
    if (bytes >= 0x1p63) fail({}, fmt::format("tensors of {:.3g} bytes in total", bytes), "less than 2^63 bytes");
}

Graph GraphBuilder::build() && {
    State& state = *state_;
    if (state.graph.operators.empty()) state.fail({}, "no nodes", "a graph with at least one node");
    state.summariseWarnings();
    state.setStatistics();
    state.setBatch();
    state.checkTotal();
    return std::move(state.graph);
}

}  // namespace tessera::model
