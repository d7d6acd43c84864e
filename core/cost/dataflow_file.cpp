#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/cost/dataflow.h"
#include "core/hardware/library.h"

namespace tessera::cost {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLargestNumber = 2'147'483'647;
constexpr std::size_t kLongestWord = 256;
constexpr std::size_t kDeepestBlock = 64;
constexpr std::size_t kMaxConstants = 256;

constexpr std::string_view kSeparators = " \t\r\n\f\v,->():;";

/// A word, or a brace; empty at the end of the text.
struct Token {
    std::string_view text;
    Place place;
};

std::string found(const Token& token) {
    return token.text.empty() ? "the end of the text" : inQuotes(token.text);
}

/// Cuts a text into words at blanks and `, - > ( ) : ;`, without comments.
class Tokens {
public:
    Tokens(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    Token next() {
        skip();
        const std::size_t start = at_;
        if (at_ < text_.size() && isBrace(text_[at_])) {
            ++at_;
        } else {
            while (at_ < text_.size() && !isBrace(text_[at_]) && !isSeparator(text_[at_]) && !atComment()) ++at_;
        }
        const Token token{text_.substr(start, at_ - start), placeAt(start)};
        if (token.text.size() > kLongestWord)
            throw DataError(token.place, fmt::format("a word of {} bytes", token.text.size()),
                            fmt::format("words of at most {}", kLongestWord));
        return token;
    }

    Token peek() {
        const Tokens before = *this;
        const Token token = next();
        at_ = before.at_;
        line_ = before.line_;
        lineStart_ = before.lineStart_;
        return token;
    }

private:
    static bool isBrace(char c) { return c == '{' || c == '}'; }
    static bool isSeparator(char c) { return kSeparators.find(c) != std::string_view::npos; }
    bool atComment() const { return text_.substr(at_, 2) == "//"; }

    Place placeAt(std::size_t start) const {
        return {.file = file_, .line = line_, .column = static_cast<std::int64_t>(start - lineStart_ + 1)};
    }

    void skip() {
        while (at_ < text_.size()) {
            if (atComment()) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (isSeparator(text_[at_])) {
                separate();
            } else {
                return;
            }
        }
    }

    void separate() {
        const bool number = at_ + 1 < text_.size() && text_[at_ + 1] >= '0' && text_[at_ + 1] <= '9';
        if (text_[at_] == '-' && number) {
            const std::size_t end = text_.find_first_not_of("0123456789.", at_ + 1);
            throw DataError(placeAt(at_), inQuotes(text_.substr(at_, end - at_)), "a whole number above 0");
        }
        if (text_[at_] == '\n') {
            ++line_;
            lineStart_ = at_ + 1;
        }
        ++at_;
    }

    std::string_view text_;
    std::string file_;
    std::size_t at_ = 0;
    std::size_t lineStart_ = 0;
    std::int64_t line_ = 1;
};

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isWord(const Token& token) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !token.text.empty() && letter(token.text.front()) &&
           std::all_of(token.text.begin(), token.text.end(),
                       [&](char c) { return letter(c) || isDigit(c) || c == '.'; });
}

std::int64_t numberIn(const Token& token) {
    std::int64_t value = 0;
    const char* const end = token.text.data() + token.text.size();
    const auto [stop, error] = std::from_chars(token.text.data(), end, value);
    if (token.text.empty() || error != std::errc() || stop != end || value < 1 || value > kLargestNumber)
        throw DataError(token.place, found(token), fmt::format("a whole number from 1 to {}", kLargestNumber));
    return value;
}

Dimension dimensionIn(const Token& token) {
    if (const auto dimension = kDimensionNames.named(token.text)) return *dimension;
    throw DataError(token.place, found(token), "a dimension: K, C, Y, X, R, S, Y' or X'");
}

/// The loop that a dimension is one over; two directives of a level never share one.
Dimension loopIn(Dimension dimension) {
    if (dimension == Dimension::outY) return Dimension::y;
    return dimension == Dimension::outX ? Dimension::x : dimension;
}

class Reader {
public:
    Reader(std::string_view text, const std::string& file) : tokens_(text, file), file_(file) {}

    Dataflow read() {
        for (Token token = tokens_.next(); !token.text.empty(); token = tokens_.next()) readStatement(token);
        finishBlock({.file = file_});
        if (!first_)
            throw DataError({.file = file_}, "no directive", "a dataflow of TemporalMap, SpatialMap and Cluster");
        for (const auto& [name, place] : used_)
            if (name != "ClusterSz" && !constants_.contains(name))
                throw DataError(place, inQuotes(name), "a number, Sz(dimension) or a constant that the file defines");
        Dataflow dataflow;
        dataflow.name = fs::path(file_).stem().string();
        dataflow.constants = std::move(constants_);
        dataflow.directives = std::move(*first_);
        return dataflow;
    }

private:
    void readStatement(const Token& token) {
        if (token.text == "{") {
            enterBlock(token);
        } else if (token.text == "}") {
            if (depth_ > 0) --depth_;
        } else if (token.text == "Constant") {
            takeConstant();
        } else if (token.text == "Network" || token.text == "Layer") {
            tokens_.next();
        } else if (token.text == "Type") {
            tokens_.next();
        } else if (token.text == "Dimensions" || token.text == "Stride" || token.text == "Padding") {
            skipBlock();
        } else if (token.text == "Dataflow") {
            finishBlock(token.place);
        } else {
            takeDirective(token);
        }
    }

    void enterBlock(const Token& token) {
        if (++depth_ > kDeepestBlock)
            throw DataError(token.place, "a deeper block",
                            fmt::format("at most {} blocks in each other", kDeepestBlock));
    }

    void takeConstant() {
        const Token name = tokens_.next();
        if (!isWord(name)) throw DataError(name.place, found(name), "the name of a constant");
        const std::int64_t value = numberIn(tokens_.next());
        const auto [known, isNew] = constants_.emplace(std::string(name.text), value);
        if (known->second != value) throw DataError(name.place, inQuotes(name.text), "a constant to be defined once");
        if (constants_.size() > kMaxConstants)
            throw DataError(name.place, "one more constant", fmt::format("at most {}", kMaxConstants));
    }

    /// Sizes of a layer that stand beside its dataflow; the mapping goes for any layer.
    void skipBlock() {
        const Token brace = tokens_.next();
        if (brace.text != "{") throw DataError(brace.place, found(brace), "'{'");
        for (std::size_t depth = 1; depth > 0;) {
            const Token token = tokens_.next();
            if (token.text.empty()) throw DataError(token.place, found(token), "'}'");
            if (token.text == "{") ++depth;
            if (token.text == "}") --depth;
        }
    }

    Amount amount() {
        const Token token = tokens_.next();
        if (token.text == "Sz") return dimensionIn(tokens_.next());
        if (!isWord(token)) return numberIn(token);
        used_.emplace_back(std::string(token.text), token.place);
        return std::string(token.text);
    }

    void takeDirective(const Token& token) {
        Directive directive;
        if (token.text == "Cluster") {
            directive.kind = DirectiveKind::cluster;
            directive.size = amount();
            if (tokens_.peek().text == "P") tokens_.next();
        } else if (token.text == "TemporalMap" || token.text == "SpatialMap") {
            directive.kind = token.text == "SpatialMap" ? DirectiveKind::spatial : DirectiveKind::temporal;
            directive.size = amount();
            directive.offset = amount();
            directive.dimension = dimensionIn(tokens_.next());
        } else {
            throw DataError(token.place, found(token), "TemporalMap, SpatialMap, Cluster, Constant or Dataflow");
        }
        add(directive, token);
    }

    void add(const Directive& directive, const Token& token) {
        const auto clusters = std::count_if(
            block_.begin(), block_.end(), [](const Directive& other) { return other.kind == DirectiveKind::cluster; });
        if (block_.size() == kMaxDirectives)
            throw DataError(token.place, "one more directive", fmt::format("at most {}", kMaxDirectives));
        if (directive.kind == DirectiveKind::cluster && clusters == static_cast<std::ptrdiff_t>(kMaxClusters))
            throw DataError(token.place, "one more cluster", fmt::format("at most {}", kMaxClusters));
        for (auto other = block_.rbegin(); directive.kind != DirectiveKind::cluster && other != block_.rend();
             ++other) {
            if (other->kind == DirectiveKind::cluster) break;
            if (loopIn(other->dimension) == loopIn(directive.dimension))
                throw DataError(token.place,
                                fmt::format("a second directive on {}", nameOf(loopIn(directive.dimension))),
                                "one per dimension in each level");
        }
        block_.push_back(directive);
    }

    void finishBlock(const Place& place) {
        if (block_.empty()) return;
        if (first_ && *first_ != block_)
            throw DataError(place, "a dataflow unlike the one before", "one dataflow in a file");
        first_ = std::exchange(block_, {});
    }

    Tokens tokens_;
    std::string file_;
    std::size_t depth_ = 0;
    std::map<std::string, std::int64_t> constants_;
    std::vector<std::pair<std::string, Place>> used_;
    std::vector<Directive> block_;
    std::optional<std::vector<Directive>> first_;
};

std::string textOf(const Amount& amount) {
    if (const auto* number = std::get_if<std::int64_t>(&amount)) return fmt::format("{}", *number);
    if (const auto* dimension = std::get_if<Dimension>(&amount)) return fmt::format("Sz({})", nameOf(*dimension));
    return std::get<std::string>(amount);
}

std::string textOf(const Directive& directive) {
    if (directive.kind == DirectiveKind::cluster) return fmt::format("Cluster({}, P);", textOf(directive.size));
    return fmt::format("{}Map({},{}) {};", directive.kind == DirectiveKind::spatial ? "Spatial" : "Temporal",
                       textOf(directive.size), textOf(directive.offset), nameOf(directive.dimension));
}

struct Bundled {
    std::string_view id;
    std::string_view alias;
};

constexpr std::array kBundled{Bundled{"nvdla", "dla"}, Bundled{"eyeriss", "eye"}, Bundled{"shidiannao", "shi"},
                              Bundled{"depthwise", "dpt"}};

Dataflow readDataflowFile(const fs::path& path) {
    return readDataflow(readFile(path, kLargestDataflowFile), path.string());
}

}  // namespace

Dataflow readDataflow(std::string_view text, const std::string& file) {
    if (text.size() > kLargestDataflowFile)
        throw DataError({.file = file}, fmt::format("{} bytes", text.size()),
                        fmt::format("a mapping of at most {} bytes", kLargestDataflowFile));
    return Reader(text, file).read();
}

std::string writeDataflow(const Dataflow& dataflow) {
    std::string text;
    if (!dataflow.name.empty()) text += fmt::format("// {}\n", escaped(dataflow.name));
    for (const auto& [name, value] : dataflow.constants) text += fmt::format("Constant {} {};\n", name, value);
    text += "Dataflow {\n";
    for (const Directive& directive : dataflow.directives) text += fmt::format("    {}\n", textOf(directive));
    return text + "}\n";
}

std::vector<std::string> bundledDataflowNames() {
    return idsOf(kBundled);
}

Dataflow bundledDataflow(const std::string& name) {
    const auto* const bundled = std::find_if(kBundled.begin(), kBundled.end(),
                                             [&](const Bundled& row) { return row.id == name || row.alias == name; });
    if (bundled == kBundled.end())
        throw UsageError(unknownNameText("there is no dataflow", name, bundledDataflowNames()));
    const std::string file = fmt::format("{}.m", bundled->id);
    for (const fs::path& folder : hardware::dataFolders()) {
        const fs::path path = folder / "dataflows" / file;
        if (isFile(path)) return readDataflowFile(path);
    }
    throw FileError(fmt::format("the bundled dataflow '{}' is in none of the data folders", file));
}

bool isDataflowFile(std::string_view nameOrPath) {
    return isStandardInput(nameOrPath) || nameOrPath.find('/') != std::string_view::npos || nameOrPath.ends_with(".m");
}

Dataflow loadDataflow(const std::string& nameOrPath) {
    if (isDataflowFile(nameOrPath)) return readDataflowFile(nameOrPath);
    return bundledDataflow(nameOrPath);
}

}  // namespace tessera::cost
