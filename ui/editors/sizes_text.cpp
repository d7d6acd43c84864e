#include "ui/editors/sizes_text.h"

#include <QStringList>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

QString sizesText(const Json& sizes) {
    QStringList parts;
    for (const auto& [name, size] : sizes.items()) {
        const std::string value = size.is_string() ? size.get<std::string>() : size.dump();
        parts << QString::fromStdString(escaped(name) + "=" + escaped(value));
    }
    return parts.join(u", "_s);
}

Json readSizes(const QString& text) {
    if (text.trimmed().isEmpty()) return {};
    Json sizes = Json::object();
    for (const QString& part : text.split(QLatin1Char(','))) {
        const QString name = part.section(QLatin1Char('='), 0, -2).trimmed();
        bool isNumber = false;
        const qlonglong size = part.section(QLatin1Char('='), -1).trimmed().toLongLong(&isNumber);
        if (name.isEmpty() || !isNumber || sizes.contains(name.toStdString())) return text.toStdString();
        sizes[name.toStdString()] = static_cast<std::int64_t>(size);
    }
    return sizes;
}

}  // namespace tessera::ui
