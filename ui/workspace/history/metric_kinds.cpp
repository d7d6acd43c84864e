#include "ui/workspace/history/metric_kinds.h"

#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

study::Metric MetricKinds::find(const QString& name) const {
    study::Metric unknown;
    unknown.name = unknown.title = name.toStdString();
    for (const study::Metric& kind : kinds_)
        if (kind.name == unknown.name) return kind;
    return unknown;
}

QString MetricKinds::title(const QString& name) const {
    const study::Metric kind = find(name);
    return kind.owner.empty() ? shown(kind.title) : u"%1 (%2)"_s.arg(shown(kind.title), shown(kind.owner));
}

QString MetricKinds::text(const QString& name, double value) const {
    study::Metric metric = find(name);
    metric.value = value;
    return QString::fromStdString(study::textOf(metric));
}

std::optional<double> MetricKinds::value(const QString& name, const QString& text) const {
    return parseQuantity(text.trimmed().toStdString(), find(name).measure);
}

}  // namespace tessera::ui
