#include "ui/editors/hardware_facts.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/field.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMaxValuesListed = 100;  // of a section

QString capital(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

Facts factsOf(const hardware::Accelerator& accelerator) {
    Facts facts = hardwareFacts(hardware::acceleratorKind(), hardware::toJson(accelerator));
    if (!accelerator.vendor.empty()) facts.subtitle = u"Accelerator by %1"_s.arg(shownText(accelerator.vendor));
    return facts;
}

/// The facts of a document below rows that are computed of it as a whole.
Facts factsBelow(const QVector<Facts::Row>& computed, const hardware::Kind& kind, const Json& document) {
    Facts facts = hardwareFacts(kind, document);
    facts.sections.front().rows = computed + facts.sections.front().rows;
    return facts;
}

Facts factsOf(const hardware::Fleet& fleet) {
    return factsBelow({{.label = u"Accelerators"_s, .value = countText(hardware::acceleratorCount(fleet))},
                       {.label = u"Groups"_s, .value = QString::number(fleet.groups.size())}},
                      hardware::fleetKind(), hardware::toJson(fleet));
}

Facts factsOf(const hardware::Platform& platform) {
    return factsBelow({{.label = u"Cores"_s, .value = countText(hardware::coreCount(platform))},
                       {.label = u"Processing elements"_s, .value = countText(hardware::elementCount(platform))}},
                      hardware::platformKind(), hardware::toJson(platform));
}

Facts factsOf(const CountedTemplate& counted) {
    const double bound = counted.census.bound.value;
    return factsBelow({{.label = u"Accelerators"_s, .value = countText(counted.census.areas.size())},
                       {.label = u"Within the bound"_s, .value = countText(counted.census.within)},
                       {.label = u"Largest area"_s,
                        .value = toQt(formatQuantity(bound, Measure::area)),
                        .exact = toQt(exactNumber(bound))}},
                      hardware::templateKind(), hardware::toJson(counted.space));
}

Facts factsOf(const DrawnWorkload& drawn) {
    Facts facts{.title = {}, .subtitle = u"Workload"_s};
    facts.sections = {{.title = u"Workload"_s,
                       .rows = {{.label = u"Models"_s, .value = QString::number(drawn.workload.sources.size())},
                                {.label = u"Jobs of a group"_s, .value = countText(drawn.group.size())}}},
                      {.title = u"Jobs by kind"_s, .rows = {}}};
    for (const auto& [kind, jobs] : cost::countsByKind(drawn.group))
        facts.sections.back().rows.append(
            {.label = kind.empty() ? u"of no kind"_s : shownText(kind), .value = countText(jobs)});
    return facts;
}

}  // namespace

Facts hardwareFacts(const hardware::Kind& kind, const Json& document) {
    Facts facts{.title = {}, .subtitle = toQt(kind.title)};
    facts.sections = {{.title = toQt(kind.title), .rows = {}}};
    qsizetype leftOut = 0;
    for (const hardware::ShownValue& shown : hardware::shownValues(kind.fields, document)) {
        if (shown.path == "name" || (!shown.entry.empty() && shown.title == "Name")) continue;
        const QString title = toQt(shown.section);
        auto section = std::find_if(facts.sections.begin(), facts.sections.end(),
                                    [&](const Facts::Section& each) { return each.title == title; });
        if (title.isEmpty()) section = facts.sections.begin();
        if (section == facts.sections.end())
            section = facts.sections.insert(facts.sections.end(), {.title = title, .rows = {}});
        if (section->rows.size() == kMaxValuesListed) {
            ++leftOut;
            continue;
        }
        section->rows.append({.label = shown.entry.empty() ? capital(shownText(shown.label)) : shownText(shown.label),
                              .value = shownText(shown.value),
                              .exact = toQt(shown.exact)});
    }
    if (leftOut > 0) facts.note = u"and %1 more values"_s.arg(leftOut);
    return facts;
}

Facts hardwareFacts(const Preview& preview) {
    Facts facts;
    if (const auto* accelerator = std::get_if<hardware::Accelerator>(&preview)) facts = factsOf(*accelerator);
    if (const auto* fleet = std::get_if<hardware::Fleet>(&preview)) facts = factsOf(*fleet);
    if (const auto* platform = std::get_if<hardware::Platform>(&preview)) facts = factsOf(*platform);
    if (const auto* counted = std::get_if<CountedTemplate>(&preview)) facts = factsOf(*counted);
    if (const auto* drawn = std::get_if<DrawnWorkload>(&preview)) facts = factsOf(*drawn);
    facts.sections.removeIf([](const Facts::Section& section) { return section.rows.isEmpty(); });
    return facts;
}

}  // namespace tessera::ui
