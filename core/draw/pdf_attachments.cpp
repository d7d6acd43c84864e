#include "core/draw/pdf_attachments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/character.h"
#include "core/base/error.h"

namespace tessera::report {

namespace {

/// A text of a PDF: UTF-16, big-endian, in hexadecimal digits.
std::string pdfText(std::string_view text) {
    std::string hex = "<FEFF";
    for (std::size_t at = 0; at < text.size();) {
        const Character next = firstCharacter(text.substr(at));
        at += std::max<std::size_t>(next.length, 1);
        if (next.length == 0) continue;
        const char32_t code = next.code;
        constexpr char32_t kBeyond = 0x10000, kHigh = 0xD800, kLow = 0xDC00, kMask = 0x3FF;
        if (code < kBeyond)
            hex += fmt::format("{:04X}", static_cast<std::uint32_t>(code));
        else
            hex += fmt::format("{:04X}{:04X}", static_cast<std::uint32_t>(kHigh + ((code - kBeyond) >> 10)),
                               static_cast<std::uint32_t>(kLow + ((code - kBeyond) & kMask)));
    }
    return hex + ">";
}

[[noreturn]] void refuse(const char* what) {
    throw FileError(fmt::format("the report's pages have {}; expected a PDF as rsvg-convert writes it", what));
}

/// The number behind the last place of a word; refuses where there is none.
std::size_t numberBehind(std::string_view pdf, std::string_view word) {
    const std::size_t at = pdf.rfind(word);
    if (at == std::string_view::npos) refuse("no trailer");
    std::size_t digits = at + word.size();
    while (digits < pdf.size() && (pdf[digits] == ' ' || pdf[digits] == '\n' || pdf[digits] == '\r')) ++digits;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(pdf.data() + digits, pdf.data() + pdf.size(), number);
    if (error != std::errc()) refuse("no number in the trailer");
    return number;
}

/// The inside of the catalogue's dictionary.
std::string catalogueOf(std::string_view pdf, std::size_t root) {
    const std::size_t at = pdf.rfind(fmt::format("\n{} 0 obj", root));
    const std::size_t open = at == std::string_view::npos ? at : pdf.find("<<", at);
    const std::size_t end = open == std::string_view::npos ? open : pdf.find("endobj", open);
    const std::size_t close = end == std::string_view::npos ? end : pdf.rfind(">>", end);
    if (close == std::string_view::npos || close < open) refuse("no catalogue");
    return std::string(pdf.substr(open + 2, close - open - 2));
}

/// Objects behind a PDF, and where each begins.
class Update {
public:
    Update(std::string pdf, std::size_t size) : pdf_(std::move(pdf)), next_(size) {
        if (!pdf_.ends_with('\n')) pdf_ += '\n';
    }
    std::size_t add(const std::string& content, std::optional<std::size_t> number = {}) {
        const std::size_t its = number ? *number : next_++;
        places_.emplace_back(its, pdf_.size());
        pdf_ += fmt::format("{} 0 obj\n{}\nendobj\n", its, content);
        return its;
    }
    std::string finish(std::size_t root, std::size_t info, std::size_t before) {
        const std::size_t table = pdf_.size();
        pdf_ += "xref\n0 1\n0000000000 65535 f \n";
        for (const auto& [number, place] : places_) pdf_ += fmt::format("{} 1\n{:010} 00000 n \n", number, place);
        return std::move(pdf_) + fmt::format(
                                     "trailer\n<< /Size {} /Root {} 0 R /Info {} 0 R /Prev {} >>\n"
                                     "startxref\n{}\n%%EOF\n",
                                     next_, root, info, before, table);
    }

private:
    std::string pdf_;
    std::size_t next_;
    std::vector<std::pair<std::size_t, std::size_t>> places_;
};

}  // namespace

std::string withAttachments(std::string pdf, const std::string& title, const std::string& author,
                            const std::vector<AttachedFile>& files) {
    if (!pdf.starts_with("%PDF-")) refuse("no head of a PDF");
    const std::size_t trailer = pdf.rfind("trailer");
    if (trailer == std::string::npos) refuse("no table of cross-references");
    const std::string_view end = std::string_view(pdf).substr(trailer);
    const std::size_t size = numberBehind(end, "/Size"), root = numberBehind(end, "/Root"),
                      before = numberBehind(end, "startxref");
    std::string catalogue = catalogueOf(pdf, root);
    Update update(std::move(pdf), size);
    std::string info = "<< /Producer " + pdfText("Tessera");
    if (!title.empty()) info += " /Title " + pdfText(title);
    if (!author.empty()) info += " /Author " + pdfText(author);
    const std::size_t infoNumber = update.add(info + " >>");
    std::map<std::string, std::size_t> specs;  // readers look names up in their order
    for (const AttachedFile& file : files) {
        std::string subtype;
        for (const char letter : file.type) subtype += letter == '/' ? std::string("#2F") : std::string(1, letter);
        const std::size_t stream = update.add(fmt::format(
            "<< /Type /EmbeddedFile /Subtype /{} /Length {} /Params << /Size {} >> >>\nstream\n{}\nendstream", subtype,
            file.bytes.size(), file.bytes.size(), file.bytes));
        const std::size_t spec = update.add(
            fmt::format("<< /Type /Filespec /F {0} /UF {0} /Desc {1} /AFRelationship /Source /EF << /F {2} 0 R /UF {2} "
                        "0 R >> >>",
                        pdfText(file.name), pdfText(file.title), stream));
        specs.emplace(pdfText(file.name), spec);
    }
    std::string names;
    for (const auto& [name, spec] : specs) names += fmt::format(" {} {} 0 R", name, spec);
    if (!names.empty()) catalogue += fmt::format(" /Names << /EmbeddedFiles << /Names [{} ] >> >>", names);
    update.add("<<" + catalogue + ">>", root);
    return update.finish(root, infoNumber, before);
}

}  // namespace tessera::report
