#include "ui/editors/hardware_facts.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/field.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxGroupsListed = 12;
constexpr std::size_t kMaxValuesListed = 100;  // of a section

QString capital(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

/// What a document says, by sections: its own values come under `title`. Entries of lists are left to `entries`.
QVector<Facts::Section> sectionsOf(const hardware::Kind& kind, const Json& document, bool entries) {
    QVector<Facts::Section> sections{{.title = toQt(kind.title), .rows = {}}};
    for (const hardware::ShownValue& shown : hardware::shownValues(kind.fields, document)) {
        if (shown.path == "name" || (!shown.entry.empty() && (!entries || shown.title == "Name"))) continue;
        const QString title = toQt(shown.section);
        const auto known = std::find_if(sections.begin(), sections.end(),
                                        [&](const Facts::Section& each) { return each.title == title; });
        const bool isNew = !title.isEmpty() && known == sections.end();
        if (isNew) sections.append({.title = title, .rows = {}});
        Facts::Section& section = isNew ? sections.back() : title.isEmpty() ? sections.front() : *known;
        if (section.rows.size() < static_cast<qsizetype>(kMaxValuesListed))
            section.rows.append({.label = capital(shownText(shown.label)),
                                 .value = shownText(shown.value),
                                 .exact = toQt(shown.exact)});
    }
    return sections;
}

Facts factsOf(const hardware::Accelerator& accelerator) {
    Facts facts;
    facts.subtitle =
        accelerator.vendor.empty() ? u"Accelerator"_s : u"Accelerator by %1"_s.arg(shownText(accelerator.vendor));
    facts.sections = sectionsOf(hardware::acceleratorKind(), hardware::toJson(accelerator), true);
    return facts;
}

QString count(double number) {
    return toQt(formatCount(number));
}

/// A row per entry, as `rowOf` makes it; what is beyond the longest list is counted in the note, as `more` says it.
template <typename Entries, typename RowOf>
Facts withList(Facts facts, const QString& title, const Entries& entries, const QString& more, RowOf rowOf) {
    Facts::Section section{.title = title, .rows = {}};
    for (const auto& entry : entries)
        if (static_cast<std::size_t>(section.rows.size()) < kMaxGroupsListed) section.rows.append(rowOf(entry));
    if (entries.size() > kMaxGroupsListed && !more.isEmpty()) facts.note = more.arg(entries.size() - kMaxGroupsListed);
    facts.sections.append(section);
    return facts;
}

Facts factsOf(const hardware::Fleet& fleet) {
    Facts facts;
    facts.subtitle = u"Fleet"_s;
    Facts::Section whole{
        .title = u"Fleet"_s,
        .rows = {{.label = u"Accelerators"_s, .value = count(static_cast<double>(hardware::acceleratorCount(fleet)))},
                 {.label = u"Groups"_s, .value = QString::number(fleet.groups.size())}}};
    facts.sections = {whole};
    return withList(facts, u"Groups"_s, fleet.groups, u"and %1 more groups"_s, [](const hardware::Group& group) {
        const std::string& name = group.accelerator.name.empty() ? group.accelerator.id : group.accelerator.name;
        return Facts::Row{.label = shownText(group.name),
                          .value = u"%1 × %2"_s.arg(count(static_cast<double>(group.count)), shownText(name))};
    });
}

Facts factsOf(const hardware::Platform& platform) {
    Facts facts;
    facts.subtitle = u"Platform"_s;
    Facts::Section whole{
        .title = u"Platform"_s,
        .rows = {{.label = u"Cores"_s, .value = count(static_cast<double>(hardware::coreCount(platform)))},
                 {.label = u"Processing elements"_s,
                  .value = count(static_cast<double>(hardware::elementCount(platform)))}}};
    whole.rows += sectionsOf(hardware::platformKind(), hardware::toJson(platform), false).front().rows;
    facts.sections = {whole};
    return withList(facts, u"Sub-accelerators"_s, platform.subAccelerators, u"and %1 more rows"_s,
                    [](const hardware::SubAccelerator& core) {
                        return Facts::Row{.label = shownText(core.name),
                                          .value = u"%1 × (%2 × %3, %4)"_s.arg(count(static_cast<double>(core.count)))
                                                       .arg(core.height)
                                                       .arg(core.width)
                                                       .arg(shownText(core.dataflow.name))};
                    });
}

Facts factsOf(const CountedTemplate& counted) {
    Facts facts;
    facts.subtitle = u"Template"_s;
    facts.sections = sectionsOf(hardware::templateKind(), hardware::toJson(counted.space), false);
    const double bound = counted.census.bound.value;
    facts.sections.front().rows =
        QVector<Facts::Row>{
            {.label = u"Accelerators"_s, .value = count(static_cast<double>(counted.census.areas.size()))},
            {.label = u"Within the bound"_s, .value = count(static_cast<double>(counted.census.within))},
            {.label = u"Largest area"_s,
             .value = toQt(formatQuantity(bound, Measure::area)),
             .exact = toQt(exactNumber(bound))}} +
        facts.sections.front().rows;
    return facts;
}

Facts factsOf(const DrawnWorkload& drawn) {
    Facts facts;
    facts.subtitle = u"Workload"_s;
    Facts::Section whole{
        .title = u"Workload"_s,
        .rows = {{.label = u"Models"_s, .value = QString::number(drawn.workload.sources.size())},
                 {.label = u"Jobs of a group"_s, .value = count(static_cast<double>(drawn.group.size()))}}};
    facts.sections = {whole};
    return withList(facts, u"Jobs by kind"_s, cost::countsByKind(drawn.group), {}, [](const auto& entry) {
        return Facts::Row{.label = entry.first.empty() ? u"of no kind"_s : shownText(entry.first),
                          .value = count(static_cast<double>(entry.second))};
    });
}

}  // namespace

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
