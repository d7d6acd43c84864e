#include "ui/views/runs/catalogue_view.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/report/catalogue.h"
#include "core/study/metric.h"
#include "core/study/progress_value.h"
#include "ui/models/text.h"
#include "ui/views/choice_bar.h"
#include "ui/views/headline_bar.h"
#include "ui/views/plot/convergence_view.h"
#include "ui/views/runs/run_pages.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Whether a part of the headline says a metric: begins with its number, and where that has no unit, names it.
bool says(const QString& part, const study::Metric& metric) {
    const QString number = toQt(study::textOf(metric));
    if (number.isEmpty() || !part.startsWith(number)) return false;
    const QChar next = part.size() > number.size() ? part.at(number.size()) : QChar(QLatin1Char(' '));
    if (next.isLetterOrNumber() || next == QLatin1Char(',') || next == QLatin1Char('.')) return false;
    const bool plain = std::none_of(number.begin(), number.end(),
                                    [](QChar letter) { return letter.isLetter() || letter.unicode() > 127; });
    const QString title = toQt(metric.title);
    return !plain || part.contains(title.section(QLatin1Char(' '), 0, 0), Qt::CaseInsensitive);
}

/// A part of a headline: a number with what it is of, or words.
Headline partOf(const QString& part, bool first) {
    const bool words = !first && !part.front().isDigit();
    if (words && part.startsWith(QLatin1String("proven")))
        return {.value = {}, .label = {}, .detail = part, .tone = u"good"_s};
    return words ? Headline{.value = {}, .label = part} : Headline{.value = part, .label = {}};
}

}  // namespace

CatalogueView::CatalogueView(QUndoStack* /*undo*/, QWidget* parent) : RunView({}, parent) {
    addSelectable({.id = "choice",
                   .count = [this] { return static_cast<int>(choices_.size()); },
                   .current =
                       [this] {
                           const auto found = std::find(choices_.begin(), choices_.end(), at_.choice);
                           return found == choices_.end() ? -1 : static_cast<int>(found - choices_.begin());
                       },
                   .choose =
                       [this](int index) {
                           at_ = report::selectionOf(*run().result, choices_[static_cast<std::size_t>(index)]);
                           refresh();
                       },
                   .name = [this](int index) { return toQt(choices_[static_cast<std::size_t>(index)]); },
                   .bar = u"What is shown"_s,
                   .choice =
                       [this](int index) {
                           return ChoiceBar::Choice{.title = shownText(choices_[static_cast<std::size_t>(index)])};
                       }});
}

/// The pages of the run's engine.
void CatalogueView::build() {
    addPages();
    addOtherPages();
    if (run().curves == nullptr || run().curves->empty()) return;
    pages()->pictures()->addPage(
        u"progress"_s, u"Progress"_s, [] { return new ConvergenceView; },
        [this] {
            auto* curves = pages()->findChild<ConvergenceView*>();
            curves->setValueTitle(toQt(study::progressTitle(run().result->study)));
            curves->setCurves(run().curves);
        });
}

/// The parts of the result's headline; where one says a number of the run, that can be explained.
QVector<Headline> CatalogueView::headlines() const {
    const study::Result& result = *run().result;
    std::vector<study::Metric> own = study::metricsOf(result);
    std::erase_if(own, [](const study::Metric& metric) { return !metric.owner.empty(); });
    QVector<Headline> all;
    for (const QString& part : shownText(study::headline(result)).split(u" · "_s, Qt::SkipEmptyParts)) {
        Headline line = partOf(part, all.isEmpty());
        const auto its =
            std::find_if(own.begin(), own.end(), [&](const study::Metric& metric) { return says(part, metric); });
        if (its != own.end()) {
            const QString number = toQt(study::textOf(*its));
            const qsizetype end = part.indexOf(QLatin1Char(' '), number.size());  // after "/step"
            line.value = part.left(end);
            line.label = end < 0 ? QString() : part.mid(end + 1);
            const QString title = shownText(its->title).toLower();
            if (part == number && !number.endsWith(QLatin1Char(' ') + title)) line.label = title;
            line.help = shownText(its->title);
            if (study::explain(result, its->name)) line.explain = explanationOf(its->name);
            own.erase(its);
        }
        all.append(line);
    }
    return all;
}

/// Whatever is shown of a strategy, algorithm or model leads to it.
void CatalogueView::chooseAmong(const QStringList& names) {
    for (const QString& name : names)
        if (name.toStdString() != at_.choice &&
            std::find(choices_.begin(), choices_.end(), name.toStdString()) != choices_.end())
            return choose(name);
}

void CatalogueView::takeRun() {
    choices_ = catalogue().choices(*run().result);
    at_ = report::selectionOf(*run().result, {});
    if (pages() == nullptr) build();
}

void CatalogueView::choose(const QString& choice) {
    const auto found = std::find(choices_.begin(), choices_.end(), choice.toStdString());
    if (found != choices_.end()) select(u"choice"_s, static_cast<int>(found - choices_.begin()));
}

}  // namespace tessera::ui
