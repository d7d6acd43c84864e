#include "core/model/graph_hierarchy.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/number.h"
#include "core/model/counts.h"
#include "core/model/layer_sizes.h"

namespace tessera::model {

namespace {

constexpr std::size_t kDeepestScope = 16;
constexpr std::size_t kFewChildren = 40;      ///< so many things fit on a screen: names above blocks are left out
constexpr std::size_t kShortestShapes = 3;    ///< smallest group of arithmetic on shapes, in operators
constexpr std::size_t kMaxInputs = 6;         ///< inputs or outputs that stand for themselves
constexpr std::size_t kLongestPeriod = 1024;  ///< of a repetition that no name shows
constexpr std::size_t kLongestBlockPeriod = 12;
constexpr std::size_t kMinLeafCopies = 4;

/// Order-dependent hash of a stretch of values.
class Signature {
public:
    void add(std::uint64_t value) { state_ = splitMix64(state_ ^ (value + 0x9E3779B97F4A7C15ULL)); }
    void add(std::string_view text) { add(static_cast<std::uint64_t>(std::hash<std::string_view>{}(text))); }
    std::uint64_t value() const { return state_; }

private:
    static std::uint64_t splitMix64(std::uint64_t value) {
        value += 0x9E3779B97F4A7C15ULL;
        value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
        return value ^ (value >> 31U);
    }
    std::uint64_t state_ = 0;
};

struct Scope {
    std::string_view name;
    HierarchyKind kind = HierarchyKind::stage;
};

/// An item before it has its place.
struct Draft {
    HierarchyItem item;
    // Texts of the graph.
    std::string_view name;
    std::string_view type;  ///< what stands for an operator that no layer names
    std::string_view layer;
    std::string_view block;
    std::uint64_t signature = 0;
    bool derived = false;               ///< no data goes through it
    std::vector<HierarchyLink> inputs;  ///< `from` and `to` are drafts
};

bool isWithin(std::string_view name, std::string_view scope) {
    return !scope.empty() && name.size() > scope.size() && name.starts_with(scope) && name[scope.size()] == '.';
}

/// "a", "a.b" for "a.b.c".
void addPrefixes(std::vector<Scope>& scopes, std::string_view name) {
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos && scopes.size() < kDeepestScope;
         dot = name.find('.', dot + 1))
        if (dot > 0 && dot + 1 < name.size()) scopes.push_back({name.substr(0, dot), HierarchyKind::stage});
}

std::vector<Scope> scopesOf(const Draft& draft) {
    std::vector<Scope> scopes;
    addPrefixes(scopes, draft.block);
    if (!draft.block.empty()) scopes.push_back({draft.block, HierarchyKind::block});
    if (draft.layer.empty() || draft.layer == draft.block) return scopes;
    // Inside a block a layer is named by the whole rest: "branch2" beside "branch2.reduce".
    if (draft.block.empty()) addPrefixes(scopes, draft.layer);
    scopes.push_back({draft.layer, HierarchyKind::layer});
    return scopes;
}

void addValue(Signature& signature, const AttributeValue& value) {
    signature.add(value.index());
    if (const auto* whole = std::get_if<std::int64_t>(&value)) signature.add(static_cast<std::uint64_t>(*whole));
    if (const auto* real = std::get_if<double>(&value)) signature.add(std::hash<double>{}(*real));
    if (const auto* text = std::get_if<std::string>(&value)) signature.add(*text);
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
        for (const std::int64_t entry : *list) signature.add(static_cast<std::uint64_t>(entry));
    if (const auto* list = std::get_if<std::vector<double>>(&value))
        for (const double entry : *list) signature.add(std::hash<double>{}(entry));
    if (const auto* list = std::get_if<std::vector<std::string>>(&value))
        for (const std::string& entry : *list) signature.add(entry);
}

void addTensor(Signature& signature, const Tensor& tensor) {
    signature.add(static_cast<std::uint64_t>(tensor.type));
    if (!tensor.shape) return;
    for (const std::int64_t size : *tensor.shape) signature.add(static_cast<std::uint64_t>(size));
}

std::uint64_t signatureOf(const Graph& graph, const Operator& op) {
    Signature signature;
    signature.add(op.type);
    signature.add(op.domain);
    for (const auto& [name, value] : op.attributes) {
        signature.add(name);
        addValue(signature, value);
    }
    for (const TensorIndex input : op.inputs)
        if (input != kNoTensor && isStored(graph.tensor(input).role)) addTensor(signature, graph.tensor(input));
    for (const TensorIndex output : op.outputs)
        if (output != kNoTensor) addTensor(signature, graph.tensor(output));
    return signature.value();
}

bool isDerived(const Graph& graph, const Operator& op) {
    return std::none_of(op.outputs.begin(), op.outputs.end(),
                        [&](TensorIndex output) { return output != kNoTensor && isActivation(graph, output); });
}

/// The first inputs, operators and outputs of a graph, in its order.
std::vector<Draft> draftsOf(const Graph& graph, const GraphHead& head) {
    std::vector<Draft> drafts;
    drafts.reserve(head.inputs + head.operators + head.outputs);
    std::vector<std::int32_t> makers(graph.tensors.size(), -1);
    const auto read = [&](Draft& draft, TensorIndex tensor) {
        if (tensor != kNoTensor && makers[toIndex(tensor)] >= 0)
            draft.inputs.push_back(
                {makers[toIndex(tensor)], signedIndex(drafts.size()), tensor, isActivation(graph, tensor)});
    };
    for (const TensorIndex input : std::span(graph.inputs).first(head.inputs)) {
        makers[toIndex(input)] = signedIndex(drafts.size());
        Draft& draft = drafts.emplace_back();
        draft.item = {ItemSource::input, input};
        draft.name = graph.tensor(input).name;
    }
    for (std::size_t i = 0; i < head.operators; ++i) {
        const Operator& op = graph.operators[i];
        Draft draft{.item = {ItemSource::operation, signedIndex(i)},
                    .name = op.name,
                    .type = op.type,
                    .layer = op.layer,
                    .block = op.block,
                    .signature = signatureOf(graph, op),
                    .derived = isDerived(graph, op),
                    .inputs = {}};
        for (const TensorIndex input : op.inputs) read(draft, input);
        for (const TensorIndex output : op.outputs)
            if (output != kNoTensor) makers[toIndex(output)] = signedIndex(drafts.size());
        drafts.push_back(std::move(draft));
    }
    for (const TensorIndex output : std::span(graph.outputs).first(head.outputs)) {
        Draft draft{.item = {ItemSource::output, output},
                    .name = graph.tensor(output).name,
                    .type = {},
                    .layer = {},
                    .block = {},
                    .inputs = {}};
        read(draft, output);
        drafts.push_back(std::move(draft));
    }
    return drafts;
}

std::vector<Draft> draftsOf(const LayerGraph& layers) {
    std::vector<Draft> drafts;
    drafts.reserve(layers.layers.size());
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
        const Layer& layer = layers.layers[i];
        Signature signature;
        signature.add(static_cast<std::uint64_t>(layer.kind));
        for (const double size :
             {layer.inChannels, layer.outChannels, layer.in.height, layer.in.width, layer.conv.height, layer.conv.width,
              layer.out.height, layer.out.width, layer.kernel.height, layer.kernel.width, layer.groups})
            signature.add(std::hash<double>{}(size));
        drafts.push_back({.item = {ItemSource::operation, signedIndex(i)},
                          .name = layer.name,
                          .type = {},
                          .layer = layer.name,
                          .block = {},
                          .signature = signature.value(),
                          .inputs = {}});
    }
    for (std::size_t i = 0; i < layers.edges.size(); ++i) {
        const LayerEdge& edge = layers.edges[i];
        drafts[toIndex(edge.to)].inputs.push_back({edge.from, edge.to, signedIndex(i), true});
    }
    return drafts;
}

/// What only one layer reads and no data goes through belongs to that layer: weights that are computed, shapes.
void adoptScopes(std::vector<Draft>& drafts) {
    std::vector<std::int32_t> reader(drafts.size(), -1);  // -2 = several that do not agree
    for (std::size_t i = drafts.size(); i-- > 0;) {
        Draft& draft = drafts[i];
        if (draft.derived && reader[i] >= 0) {
            draft.layer = drafts[toIndex(reader[i])].layer;
            draft.block = drafts[toIndex(reader[i])].block;
        }
        for (const HierarchyLink& link : draft.inputs) {
            std::int32_t& known = reader[toIndex(link.from)];
            if (known == -1)
                known = signedIndex(i);
            else if (known >= 0 &&
                     (drafts[toIndex(known)].layer != draft.layer || drafts[toIndex(known)].block != draft.block))
                known = -2;
        }
    }
}

/// The drafts' order, except that what no data goes through stands directly before its first reader.
std::vector<std::int32_t> orderOf(const std::vector<Draft>& drafts) {
    std::vector<std::int32_t> order;
    std::vector<char> placed(drafts.size(), 0);
    std::vector<std::pair<std::int32_t, std::size_t>> stack;
    const auto place = [&](std::int32_t start) {
        stack.emplace_back(start, 0);
        while (!stack.empty()) {
            auto& [draft, next] = stack.back();
            const std::vector<HierarchyLink>& inputs = drafts[toIndex(draft)].inputs;
            if (placed[toIndex(draft)] != 0) {
                stack.pop_back();
            } else if (next < inputs.size()) {
                const std::int32_t from = inputs[next++].from;
                if (placed[toIndex(from)] == 0) stack.emplace_back(from, 0);
            } else {
                placed[toIndex(draft)] = 1;
                order.push_back(draft);
                stack.pop_back();
            }
        }
    };
    for (std::size_t i = 0; i < drafts.size(); ++i)
        if (!drafts[i].derived) place(signedIndex(i));
    for (std::size_t i = 0; i < drafts.size(); ++i) place(signedIndex(i));
    // Outputs stay last, also behind operators without readers.
    std::stable_partition(order.begin(), order.end(),
                          [&](std::int32_t draft) { return drafts[toIndex(draft)].item.source != ItemSource::output; });
    return order;
}

/// What no data goes through and stands inside a block that it does not belong to moves before that block, so that the
/// block stays in one piece.
std::vector<std::int32_t> hoisted(const std::vector<Draft>& drafts, const std::vector<std::int32_t>& order) {
    constexpr std::size_t kLongestBlock = 4096;  // longer ones would take too long
    std::vector<std::int32_t> result;
    std::vector<std::size_t> runs(drafts.size(), 0);  // the stretch of one block that a draft was placed in
    std::size_t run = 1;
    std::size_t start = 0;
    const std::string_view* block = nullptr;
    std::vector<std::int32_t> nextData(order.size(), -1);  // the next draft that data goes through
    for (std::size_t i = order.size(); i-- > 1;)
        nextData[i - 1] = drafts[toIndex(order[i])].derived ? nextData[i] : order[i];
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int32_t index = order[i];
        const Draft& draft = drafts[toIndex(index)];
        const bool isInside = block != nullptr && !block->empty() && draft.block != *block && nextData[i] >= 0 &&
                              drafts[toIndex(nextData[i])].block == *block;
        if (isInside && draft.derived && result.size() - start < kLongestBlock &&
            std::none_of(draft.inputs.begin(), draft.inputs.end(),
                         [&](const HierarchyLink& link) { return runs[toIndex(link.from)] == run; })) {
            result.insert(result.begin() + static_cast<std::ptrdiff_t>(start++), index);
            continue;
        }
        if (block == nullptr || draft.block != *block) {
            block = &draft.block;
            start = result.size();
            ++run;
        }
        runs[toIndex(index)] = run;
        result.push_back(index);
    }
    return result;
}

/// A node of the tree while it is made.
struct Group {
    SharedText name;  ///< a leaf without one is called as its item
    std::size_t first = 0;
    std::size_t count = 1;
    std::vector<Group> children = {};
    std::int32_t copies = 1;
    HierarchyKind kind = HierarchyKind::leaf;
    bool labelled = false;  ///< `name` is that of a layer, for people
};

static_assert(sizeof(Group) <= 56);  // a million of them several times over, where a long sequence is divided

class GraphHierarchyBuilder {
public:
    explicit GraphHierarchyBuilder(std::vector<Draft> given) {
        adoptScopes(given);
        const std::vector<std::int32_t> order = hoisted(given, orderOf(given));
        std::vector<std::int32_t> position(given.size());
        for (std::size_t i = 0; i < order.size(); ++i) position[toIndex(order[i])] = signedIndex(i);
        drafts_.reserve(given.size());
        for (const std::int32_t draft : order) drafts_.push_back(std::move(given[toIndex(draft)]));
        std::vector<Draft>().swap(given);  // a million of them take a tenth of a gigabyte
        std::vector<std::int64_t> change(drafts_.size() + 2, 0);
        for (std::size_t i = 0; i < drafts_.size(); ++i) {
            for (HierarchyLink& link : drafts_[i].inputs) {
                link.from = position[toIndex(link.from)];
                link.to = signedIndex(i);
                ++change[toIndex(link.from) + 1];
                --change[i + 1];
            }
            scopes_.push_back(scopesOf(drafts_[i]));
        }
        std::int64_t open = 0;
        for (std::size_t i = 0; i < drafts_.size(); ++i) crossing_.push_back(open += change[i]);
    }

    GraphHierarchy hierarchy() && {
        Group whole{.name = {}, .count = drafts_.size(), .kind = HierarchyKind::whole};
        whole.children = groupsOf(0, drafts_.size(), 0);
        scopes_ = {};
        groupEnds(whole.children);
        dissolveSingle(whole);
        for (Group& child : whole.children) tidy(child);
        arrange(whole);
        GraphHierarchy hierarchy;
        hierarchy.items.reserve(drafts_.size());
        for (Draft& draft : drafts_) {
            hierarchy.items.push_back(draft.item);
            hierarchy.links.insert(hierarchy.links.end(), draft.inputs.begin(), draft.inputs.end());
            draft.inputs = {};
        }
        hierarchy.nodes.reserve(sizeOf(whole));
        add(hierarchy, whole, -1, whole.name.get());
        hierarchy.leaves.assign(drafts_.size(), 0);
        for (std::size_t i = 0; i < hierarchy.nodes.size(); ++i)
            if (hierarchy.nodes[i].kind == HierarchyKind::leaf)
                hierarchy.leaves[toIndex(hierarchy.nodes[i].first)] = signedIndex(i);
        return hierarchy;
    }

private:
    static std::size_t sizeOf(const Group& group) {
        std::size_t size = 1;
        for (const Group& child : group.children) size += sizeOf(child);
        return size;
    }

    std::string_view nameOf(const Group& group) const {
        const bool isItem = group.kind == HierarchyKind::leaf && !group.labelled;
        return isItem ? drafts_[group.first].name : std::string_view(group.name);
    }

    /// "conv1", or "Relu" for an operator that no layer names.
    std::string_view shortNameOf(const Group& group) const {
        const bool isPlain = group.kind == HierarchyKind::leaf && !group.labelled && !drafts_[group.first].type.empty();
        return isPlain ? drafts_[group.first].type : nameOf(group);
    }

    /// "layer1.1 … layer1.3"
    std::string spanName(const Group& first, const Group& last) const {
        const std::string one(shortNameOf(first)), other(shortNameOf(last));
        return one == other ? one : one + " … " + other;
    }

    /// Stretches [first, last) of items by their scope at `depth`.
    std::vector<Group> groupsOf(std::size_t first, std::size_t last, std::size_t depth) const {
        std::vector<Group> groups;
        for (std::size_t i = first; i < last;) {
            if (scopes_[i].size() <= depth) {
                groups.push_back({.name = {}, .first = i++});
                continue;
            }
            const std::string_view name = scopes_[i][depth].name;
            Group group{.name = name, .first = i, .count = 0, .kind = HierarchyKind::layer};
            for (; i < last && scopes_[i].size() > depth && scopes_[i][depth].name == name; ++i) {
                const bool ends = scopes_[i].size() == depth + 1;
                if (scopes_[i][depth].kind == HierarchyKind::block) group.kind = HierarchyKind::block;
                if (!ends && group.kind == HierarchyKind::layer) group.kind = HierarchyKind::stage;
            }
            group.count = i - group.first;
            group.children = groupsOf(group.first, i, depth + 1);
            groups.push_back(std::move(group));
        }
        return groups;
    }

    bool isEnd(const Group& group, ItemSource source) const {
        return group.kind == HierarchyKind::leaf && drafts_[group.first].item.source == source;
    }

    /// Many inputs or outputs become one group.
    void groupEnds(std::vector<Group>& groups) const {
        for (const ItemSource source : {ItemSource::input, ItemSource::output}) {
            const auto begin =
                std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return isEnd(group, source); });
            const auto end =
                std::find_if(begin, groups.end(), [&](const Group& group) { return !isEnd(group, source); });
            if (static_cast<std::size_t>(end - begin) <= kMaxInputs) continue;
            collect(groups, begin - groups.begin(), end - groups.begin(), HierarchyKind::section,
                    source == ItemSource::input ? "inputs" : "outputs");
        }
    }

    /// Puts neighbours [begin, end) below one new group.
    static void collect(std::vector<Group>& groups, std::ptrdiff_t begin, std::ptrdiff_t end, HierarchyKind kind,
                        std::string name) {
        Group group{
            .name = std::move(name), .first = groups[static_cast<std::size_t>(begin)].first, .count = 0, .kind = kind};
        for (std::ptrdiff_t i = begin; i < end; ++i) {
            group.count += groups[static_cast<std::size_t>(i)].count;
            group.children.push_back(std::move(groups[static_cast<std::size_t>(i)]));
        }
        groups.erase(groups.begin() + begin, groups.begin() + end);
        groups.insert(groups.begin() + begin, std::move(group));
    }

    /// A scope that holds everything says nothing.
    void dissolveSingle(Group& whole) const {
        for (;;) {
            Group* only = nullptr;
            for (Group& child : whole.children) {
                const bool isOutside =
                    child.first < drafts_.size() && drafts_[child.first].item.source != ItemSource::operation;
                if (isOutside) continue;
                if (only != nullptr) return;
                only = &child;
            }
            if (only == nullptr || only->children.empty()) return;
            whole.name = only->name;
            std::vector<Group> inner = std::move(only->children);
            const auto place = whole.children.erase(whole.children.begin() + (only - whole.children.data()));
            whole.children.insert(place, std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
        }
    }

    /// Makes the tree below a group fit to look at.
    void tidy(Group& group) {
        for (Group& child : group.children) tidy(child);
        if (group.children.size() == 1 && group.kind != HierarchyKind::section) {
            Group only = std::move(group.children.front());
            if (only.kind == HierarchyKind::leaf && !only.labelled) {
                only.name = group.name;
                only.labelled = true;
            }
            group = std::move(only);
            return;
        }
        if (!group.children.empty()) arrange(group);
    }

    void arrange(Group& group) {
        foldShapes(group.children);
        dissolveStages(group.children);
        groupRepeats(group.children);
        cut(group.children);
    }

    /// Arithmetic on shapes next to each other becomes one group.
    void foldShapes(std::vector<Group>& groups) const {
        const auto isShape = [&](const Group& group) {
            return group.kind == HierarchyKind::leaf && drafts_[group.first].derived;
        };
        if (std::all_of(groups.begin(), groups.end(), isShape)) return;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            std::size_t end = i;
            while (end < groups.size() && isShape(groups[end])) ++end;
            if (end - i >= kShortestShapes)
                collect(groups, static_cast<std::ptrdiff_t>(i), static_cast<std::ptrdiff_t>(end), HierarchyKind::shapes,
                        "shapes");
            else if (end > i)
                i = end - 1;
        }
    }

    /// Names above blocks are left out where all that they hold fits on a screen.
    static void dissolveStages(std::vector<Group>& groups) {
        std::size_t count = 0;
        for (const Group& group : groups) count += group.kind == HierarchyKind::stage ? group.children.size() : 1;
        if (count > kFewChildren) return;
        std::vector<Group> flat;
        for (Group& group : groups) {
            if (group.kind == HierarchyKind::stage)
                std::move(group.children.begin(), group.children.end(), std::back_inserter(flat));
            else
                flat.push_back(std::move(group));
        }
        groups = std::move(flat);
    }

    /// Equal for stretches of equal operators that are wired equally inside.
    std::uint64_t signatureOf(const Group& group) const {
        Signature signature;
        signature.add(group.count);
        std::unordered_map<std::int32_t, std::uint64_t> outside;
        for (std::size_t i = group.first; i < group.first + group.count; ++i) {
            signature.add(drafts_[i].signature);
            for (const HierarchyLink& link : drafts_[i].inputs) {
                const bool inside = toIndex(link.from) >= group.first;
                signature.add(inside ? 2 * (toIndex(link.from) - group.first)
                                     : 2 * outside.emplace(link.from, outside.size()).first->second + 1);
            }
        }
        return signature.value();
    }

    struct Run {
        std::size_t period = 0;
        std::size_t copies = 0;
        std::size_t length() const { return period * copies; }
    };

    bool isWorthGrouping(const std::vector<Group>& groups, std::size_t first, const Run& run, bool many) const {
        bool hasBlock = false;
        std::size_t items = 0;
        for (std::size_t i = first; i < first + run.period; ++i) {
            hasBlock = hasBlock || groups[i].kind == HierarchyKind::block;
            items += groups[i].count;
            if (drafts_[groups[i].first].item.source != ItemSource::operation) return false;
        }
        return hasBlock || (many && (items > 1 || run.copies >= kMinLeafCopies));
    }

    void groupRepeats(std::vector<Group>& groups) const {
        const bool many = groups.size() > kFewChildren;
        std::vector<std::uint64_t> signatures;
        signatures.reserve(groups.size());
        for (const Group& group : groups) signatures.push_back(signatureOf(group));
        const std::size_t longest = many ? kLongestPeriod : kLongestBlockPeriod;
        std::vector<Group> grouped;
        for (std::size_t i = 0; i < groups.size();) {
            Run best;
            for (std::size_t period = 1; period <= std::min(longest, (groups.size() - i) / 2); ++period) {
                std::size_t end = i + period;
                while (end < groups.size() && signatures[end] == signatures[end - period]) ++end;
                const Run run{period, (end - i) / period};
                if (run.copies >= 2 && run.length() > best.length() && isWorthGrouping(groups, i, run, many))
                    best = run;
            }
            if (best.copies < 2) {
                grouped.push_back(std::move(groups[i++]));
                continue;
            }
            grouped.push_back(repeatOf(groups, i, best));
            i += best.length();
        }
        groups = std::move(grouped);
    }

    Group repeatOf(std::vector<Group>& groups, std::size_t first, const Run& run) const {
        Group repeat{.name = spanName(groups[first], groups[first + run.length() - 1]),
                     .first = groups[first].first,
                     .count = 0,
                     .copies = static_cast<std::int32_t>(run.copies),
                     .kind = HierarchyKind::repeat};
        repeat.children.reserve(run.copies);
        for (std::size_t copy = 0; copy < run.copies; ++copy) {
            const std::size_t begin = first + copy * run.period;
            Group one;
            if (run.period == 1) {
                one = std::move(groups[begin]);
            } else {
                one = {.name = spanName(groups[begin], groups[begin + run.period - 1]),
                       .first = groups[begin].first,
                       .count = 0,
                       .kind = HierarchyKind::section};
                one.children.reserve(run.period);
                for (std::size_t i = begin; i < begin + run.period; ++i) {
                    one.count += groups[i].count;
                    one.children.push_back(std::move(groups[i]));
                }
                cut(one.children);
            }
            repeat.count += one.count;
            repeat.children.push_back(std::move(one));
        }
        cut(repeat.children);
        return repeat;
    }

    /// Divides a long sequence where the fewest tensors pass.
    void cut(std::vector<Group>& groups) const {
        if (groups.size() <= kMaxHierarchyChildren) return;
        const std::size_t parts =
            std::clamp<std::size_t>((groups.size() + kFewChildren - 1) / kFewChildren, 2, kFewChildren);
        std::vector<Group> sections;
        std::size_t begin = 0;
        for (std::size_t part = 1; part <= parts; ++part) {
            const std::size_t end =
                part == parts ? groups.size() : cutNear(groups, part * groups.size() / parts, begin);
            if (end <= begin) continue;
            Group section{.name = spanName(groups[begin], groups[end - 1]),
                          .first = groups[begin].first,
                          .count = 0,
                          .kind = HierarchyKind::section};
            section.children.reserve(end - begin);
            for (std::size_t i = begin; i < end; ++i) {
                section.count += groups[i].count;
                section.children.push_back(std::move(groups[i]));
            }
            cut(section.children);
            sections.push_back(std::move(section));
            begin = end;
        }
        groups = std::move(sections);
    }

    std::size_t cutNear(const std::vector<Group>& groups, std::size_t wanted, std::size_t begin) const {
        const std::size_t reach = std::max<std::size_t>(1, groups.size() / kFewChildren / 2 + 3);
        const std::size_t low = std::max(begin + 2, wanted > reach ? wanted - reach : 0);
        const std::size_t high = std::min(groups.size() - 1, wanted + reach);
        std::size_t best = std::clamp(wanted, std::min(low, high), high);
        for (std::size_t i = low; i <= high; ++i)
            if (crossing_[groups[i].first] < crossing_[groups[best].first]) best = i;
        return best;
    }

    static std::string labelOf(std::string_view name, std::string_view scope) {
        std::string label;
        constexpr std::string_view kBetween = " … ";
        for (std::size_t begin = 0; begin <= name.size();) {
            const std::size_t end = std::min(name.find(kBetween, begin), name.size());
            const std::string_view part = name.substr(begin, end - begin);
            if (!label.empty()) label += kBetween;
            label += isWithin(part, scope) ? part.substr(scope.size() + 1) : part;
            begin = end + kBetween.size();
        }
        return label;
    }

    /// The groups below let go of theirs on the way.
    void add(GraphHierarchy& hierarchy, Group& group, std::int32_t parent, std::string_view scope) const {
        const std::int32_t index = signedIndex(hierarchy.nodes.size());
        HierarchyNode& node = hierarchy.nodes.emplace_back();
        node.kind = group.kind;
        node.name = nameOf(group);
        const bool isNamed = group.kind != HierarchyKind::leaf || group.labelled ||
                             drafts_[group.first].item.source != ItemSource::operation;
        if (isNamed) node.label = labelOf(nameOf(group), scope);
        node.parent = parent;
        node.first = signedIndex(group.first);
        node.count = signedIndex(group.count);
        node.copies = group.copies;
        if (parent >= 0) hierarchy.nodes[toIndex(parent)].children.push_back(index);
        const bool isScope = group.kind == HierarchyKind::stage || group.kind == HierarchyKind::block ||
                             group.kind == HierarchyKind::layer;
        for (Group& child : group.children) add(hierarchy, child, index, isScope ? nameOf(group) : scope);
        group.children = {};
    }

    std::vector<Draft> drafts_;
    std::vector<std::vector<Scope>> scopes_;
    std::vector<std::int64_t> crossing_;  ///< tensors that pass between an item and the one before it
};

void addTotals(NodeTotals& sum, const NodeTotals& part) {
    sum.operators += part.operators;
    accumulate(sum.macs, part.macs);
    accumulate(sum.flops, part.flops);
    accumulate(sum.parameters, part.parameters);
    accumulate(sum.parameterBytes, part.parameterBytes);
    accumulate(sum.activations, part.activations);
    accumulate(sum.activationBytes, part.activationBytes);
    accumulate(sum.traffic, part.traffic);
    for (std::size_t i = 0; i < kOperatorClasses; ++i) {
        sum.flopsByClass.at(i) += part.flopsByClass.at(i);
        sum.operatorsByClass.at(i) += part.operatorsByClass.at(i);
    }
}

void classify(NodeTotals& totals, OperatorClass group) {
    totals.operators = 1;
    totals.operatorsByClass.at(static_cast<std::size_t>(group)) = 1;
    totals.flopsByClass.at(static_cast<std::size_t>(group)) = totals.flops.value_or(0);
}

std::vector<NodeTotals> summed(const GraphHierarchy& hierarchy, const std::vector<NodeTotals>& ofItems) {
    std::vector<NodeTotals> totals(hierarchy.nodes.size());
    for (std::size_t i = hierarchy.nodes.size(); i-- > 0;) {
        const HierarchyNode& node = hierarchy.nodes[i];
        if (node.kind == HierarchyKind::leaf) totals[i] = ofItems[toIndex(node.first)];
        if (node.parent >= 0) addTotals(totals[toIndex(node.parent)], totals[i]);
    }
    return totals;
}

NodeTotals totalsOf(const Graph& graph, const Operator& op, const OperatorCount& count, std::vector<char>& stored) {
    NodeTotals totals;
    accumulate(totals.macs, count.macs);
    accumulate(totals.flops, count.flopsMatrix);
    accumulate(totals.flops, count.flopsVector);
    for (const TensorIndex input : op.inputs) {
        if (input == kNoTensor) continue;
        const Tensor& tensor = graph.tensor(input);
        accumulate(totals.traffic, bytesOf(tensor));
        if (tensor.role != TensorRole::parameter || stored[toIndex(input)] != 0) continue;
        stored[toIndex(input)] = 1;
        accumulate(totals.parameters, elementCount(tensor.shape));
        accumulate(totals.parameterBytes, bytesOf(tensor));
    }
    for (const TensorIndex output : op.outputs) {
        if (output == kNoTensor) continue;
        const Tensor& tensor = graph.tensor(output);
        accumulate(totals.traffic, bytesOf(tensor));
        if (tensor.role != TensorRole::activation || !isFloat(tensor.type) || !op.body.empty()) continue;
        accumulate(totals.activations, elementCount(tensor.shape));
        accumulate(totals.activationBytes, bytesOf(tensor));
    }
    classify(totals, classOf(op));
    return totals;
}

NodeTotals totalsOf(const Layer& layer, double batch, double bytes) {
    NodeTotals totals;
    totals.macs = batch * macsPerSample(layer);
    totals.flops = 2 * *totals.macs;
    totals.parameters = layer.parameters;
    totals.parameterBytes = bytes * layer.parameters;
    totals.activations = batch * layer.activations;
    totals.activationBytes = bytes * *totals.activations;
    totals.traffic = bytes * (batch * (inElements(layer) + outElements(layer)) + layer.parameters);
    classify(totals, classOf(layer.kind));
    return totals;
}

}  // namespace

GraphHierarchy hierarchyOf(const Graph& graph) {
    return hierarchyOf(graph, headOf(graph));
}

GraphHierarchy hierarchyOf(const Graph& graph, const GraphHead& head) {
    return GraphHierarchyBuilder(draftsOf(graph, head)).hierarchy();
}

GraphHierarchy hierarchyOf(const LayerGraph& layers) {
    return GraphHierarchyBuilder(draftsOf(layers)).hierarchy();
}

namespace {

/// Calls `shown(node)` for what is visible and `opened(node)` for what is open, in order.
void walk(const GraphHierarchy& hierarchy, const std::set<std::int32_t>& expanded,
          const std::function<void(std::int32_t)>& shown, const std::function<void(std::int32_t)>& opened) {
    std::vector<std::int32_t> stack(hierarchy.nodes.front().children.rbegin(), hierarchy.nodes.front().children.rend());
    while (!stack.empty()) {
        const std::int32_t index = stack.back();
        stack.pop_back();
        const HierarchyNode& node = hierarchy.node(index);
        if (node.children.empty() || !expanded.contains(index)) {
            shown(index);
            continue;
        }
        opened(index);
        stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
    }
}

}  // namespace

VisibleGraph visibleGraph(const GraphHierarchy& hierarchy, const std::set<std::int32_t>& expanded) {
    VisibleGraph graph;
    std::vector<std::int32_t> shownAs(hierarchy.items.size(), 0);
    walk(
        hierarchy, expanded,
        [&](std::int32_t index) {
            graph.nodes.push_back(index);
            const HierarchyNode& node = hierarchy.node(index);
            std::fill_n(shownAs.begin() + node.first, node.count, index);
        },
        [&](std::int32_t index) { graph.open.push_back(index); });
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> known;
    for (std::size_t i = 0; i < hierarchy.links.size(); ++i) {
        const HierarchyLink& link = hierarchy.links[i];
        const std::pair<std::int32_t, std::int32_t> ends(shownAs[toIndex(link.from)], shownAs[toIndex(link.to)]);
        if (ends.first == ends.second) continue;
        const auto [found, isNew] = known.emplace(ends, graph.edges.size());
        if (isNew) graph.edges.push_back({ends.first, ends.second, {}, false});
        VisibleEdge& edge = graph.edges[found->second];
        edge.links.push_back(signedIndex(i));
        edge.data = edge.data || link.data;
    }
    return graph;
}

std::size_t visibleNodes(const GraphHierarchy& hierarchy, const std::set<std::int32_t>& expanded) {
    std::size_t count = 0;
    walk(
        hierarchy, expanded, [&](std::int32_t /*node*/) { ++count; }, [](std::int32_t /*node*/) {});
    return count;
}

std::int32_t visibleNodeOf(const GraphHierarchy& hierarchy, const std::set<std::int32_t>& expanded, std::int32_t item) {
    std::vector<std::int32_t> path;
    for (std::int32_t node = hierarchy.leaves[toIndex(item)]; node > 0; node = hierarchy.node(node).parent)
        path.push_back(node);
    const auto folded =
        std::find_if(path.rbegin(), path.rend(), [&](std::int32_t node) { return !expanded.contains(node); });
    if (folded != path.rend()) return *folded;
    return path.empty() ? 0 : path.front();
}

std::set<std::int32_t> firstExpanded(const GraphHierarchy& hierarchy) {
    constexpr std::size_t kFewVisible = 12;
    std::set<std::int32_t> expanded;
    for (bool grown = true; grown;) {
        grown = false;
        const VisibleGraph now = visibleGraph(hierarchy, expanded);
        if (now.nodes.size() >= kFewVisible) break;
        for (const std::int32_t index : now.nodes) {
            const HierarchyNode& node = hierarchy.node(index);
            const bool isPlain = node.kind == HierarchyKind::stage || node.kind == HierarchyKind::section;
            const bool isEnds = hierarchy.items[toIndex(node.first)].source != ItemSource::operation;
            if (!isPlain || isEnds || node.children.size() > kMaxHierarchyChildren) continue;
            std::set<std::int32_t> more = expanded;
            more.insert(index);
            if (visibleNodes(hierarchy, more) > kMaxHierarchyChildren) continue;
            expanded = std::move(more);
            grown = true;
        }
    }
    return expanded;
}

OperatorClass NodeTotals::mainClass() const {
    const auto* const max = std::max_element(flopsByClass.begin(), flopsByClass.end());
    if (*max > 0) return static_cast<OperatorClass>(max - flopsByClass.begin());
    const auto* const many = std::max_element(operatorsByClass.begin(), operatorsByClass.end());
    return static_cast<OperatorClass>(many - operatorsByClass.begin());
}

std::vector<NodeTotals> totalsOf(const Graph& graph, const GraphHierarchy& hierarchy) {
    const std::vector<OperatorCount> counts = operatorCounts(graph);
    std::vector<NodeTotals> ofOperators;
    std::vector<char> stored(graph.tensors.size(), 0);
    for (std::size_t i = 0; i < graph.operators.size(); ++i)
        ofOperators.push_back(totalsOf(graph, graph.operators[i], counts[i], stored));
    std::vector<NodeTotals> ofItems(hierarchy.items.size());
    for (std::size_t i = 0; i < hierarchy.items.size(); ++i)
        if (hierarchy.items[i].source == ItemSource::operation)
            ofItems[i] = ofOperators[toIndex(hierarchy.items[i].index)];
    return summed(hierarchy, ofItems);
}

std::vector<NodeTotals> totalsOf(const LayerGraph& layers, const GraphHierarchy& hierarchy, double batch,
                                 double bytes) {
    std::vector<NodeTotals> ofItems;
    for (const HierarchyItem& item : hierarchy.items)
        ofItems.push_back(totalsOf(layers.layers[toIndex(item.index)], batch, bytes));
    return summed(hierarchy, ofItems);
}

OperatorClass classOf(LayerKind kind) {
    switch (kind) {
        case LayerKind::fc:
        case LayerKind::conv:
        case LayerKind::product:
            return OperatorClass::matrix;
        case LayerKind::embedding:
            return OperatorClass::embedding;
        case LayerKind::add:
            return OperatorClass::vector;
        case LayerKind::concat:
            break;
    }
    return OperatorClass::memory;
}

OperatorClass classOf(const Operator& op) {
    const OperatorKind* const kind = kindOf(op);
    return kind == nullptr ? OperatorClass::vector : kind->group;
}

}  // namespace tessera::model
