#include "ui/workspace/history/importer.h"

#include <QFileInfo>
#include <string_view>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/readers/readers.h"
#include "ui/editors/native_file.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kSmall = std::size_t{4} << 20;
constexpr std::string_view kSqlite = "SQLite format 3";

/// Throws where the file is nothing that Tessera knows.
QString kindOf(const std::string& path) {
    const std::string bytes = readFile(path);
    if (bytes.starts_with(kSqlite)) return u"runs"_s;
    if (const NativeFile* native = nativeFile(bytes)) {
        // What else is wrong with it is shown, and mended, where it is edited.
        JsonDocument::parse(bytes, path);
        return QLatin1String(native->document);
    }
    const model::Reader& reader = model::readerFor(bytes, path);
    // A table of layers is read to its end, so that a letter in a .txt file is distinguished from one; what is large
    // (ONNX) is read by the page that shows it.
    if (bytes.size() <= kSmall) reader.read(std::string(bytes), path, {});
    return u"model"_s;
}

}  // namespace

ImportedFile examineFile(const QString& path) {
    ImportedFile file{.path = QFileInfo(path).absoluteFilePath(), .kind = {}, .problem = {}};
    try {
        file.kind = kindOf(file.path.toStdString());
    } catch (const std::bad_alloc&) {
        file.problem = u"There is not enough memory to read this file."_s;
    } catch (const std::exception& error) {
        file.problem = toQt(escaped(error.what(), 2000));
    }
    return file;
}

QString openFilter() {
    return fileFilter(u"Models, hardware, studies, runs"_s, modelPatterns() + u" *.tessera"_s);
}

}  // namespace tessera::ui
