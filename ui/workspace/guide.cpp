#include "ui/workspace/guide.h"

#include <QDialog>
#include <QFile>
#include <QFileInfo>
#include <QMainWindow>
#include <QRegularExpression>
#include <QWidget>
#include <algorithm>
#include <array>
#include <optional>

#include "core/study/engine.h"
#include "ui/editors/field.h"
#include "ui/editors/hardware_kind.h"
#include "ui/editors/study_document.h"
#include "ui/editors/study_form.h"
#include "ui/models/text.h"
#include "ui/views/document.h"
#include "ui/views/runs/run_document.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

const QString kFolder = u":/tessera/guide/"_s;
const QString kDocument = u"document/"_s;
const QString kEngine = u"engine/"_s;
const QString kPane = u"pane/"_s;

/// What the window has, and where the guide speaks of it.
struct SubjectRow {
    const char* subject;
    const char* page;
    const char* section = "";
};
constexpr std::array kSubjects{
    SubjectRow{"document/welcome", "start", "In the window"},
    SubjectRow{"document/model", "models"},
    SubjectRow{"document/hardware", "hardware", "In the window"},
    SubjectRow{"document/study", "start", "In the window"},
    SubjectRow{"document/run", "start", "Read a result"},
    SubjectRow{"document/compare", "compare", "Compare runs"},
    SubjectRow{"document/points", "explore", "Look at the points"},
    SubjectRow{"document/report", "compare", "Write a report"},
    SubjectRow{"document/validation", "measurements", "How far predictions are off"},
    SubjectRow{"document/history", "history"},
    SubjectRow{"document/guide", "README"},
    SubjectRow{"engine/partition", "partition"},
    SubjectRow{"engine/mapping", "map"},
    SubjectRow{"engine/codesign", "codesign"},
    SubjectRow{"engine/predict", "predict"},
    SubjectRow{"engine/plan", "plan"},
    SubjectRow{"engine/explore", "explore"},
    SubjectRow{"engine/cost", "layers", "What every layer costs on one array"},
    SubjectRow{"engine/schedule", "layers", "Schedule the operators of a layer"},
    SubjectRow{"engine/place", "layers", "Place layers on many accelerators"},
    SubjectRow{"engine/calibrate", "measurements", "Measure this machine"},
    SubjectRow{"pane/library", "start", "In the window"},
    SubjectRow{"pane/inspector", "start", "Read a result"},
    SubjectRow{"pane/jobs", "start", "While a run works"},
    SubjectRow{"pane/messages", "start", "In the window"},
    SubjectRow{"pane/explanation", "start", "Read a result"},
    SubjectRow{"pane/commandPalette", "start", "In the window"},
    SubjectRow{"pane/tools", "start", "In the window"},
    SubjectRow{"pane/noticeBar", "start", "In the window"},
    SubjectRow{"pane/question", "start", "When the window asks"},
    SubjectRow{"pane/equivalents", "start", "On the command line"},
    SubjectRow{"ColumnChooser", "history", "Find a run"},
    SubjectRow{"RunPicker", "compare", "Compare runs"},
    SubjectRow{"NameDialog", "start", "When the window asks"},
    SubjectRow{"DifferenceDialog", "hardware", "In the window"},
    SubjectRow{"DocumentArea", "start", "In the window"},
    SubjectRow{"StatusLine", "start", "While a run works"},
    SubjectRow{"Workbench", "explore", "Look at the points"},
    SubjectRow{"GraphView", "models", "Look at its graph"},
    SubjectRow{"FactsView", "start", "Read a result"},
    SubjectRow{"JobRow", "start", "While a run works"},
    SubjectRow{"ProvenanceButton", "hardware", "Where a number comes from"},
};

const SubjectRow* rowOf(const QString& subject) {
    const auto* const found = std::find_if(kSubjects.begin(), kSubjects.end(), [&](const SubjectRow& row) {
        return subject == QLatin1String(row.subject);
    });
    return found == kSubjects.end() ? nullptr : found;
}

/// The engine of a study's form or of a run's page; empty for others.
QString engineOf(const Document& document) {
    if (const auto* study = qobject_cast<const StudyDocument*>(&document)) return toQt(study->study().engine);
    if (const auto* run = qobject_cast<const RunDocument*>(&document)) return toQt(run->state().study.engine);
    return {};
}

/// A dialog that no document of the window asks by.
bool isQuestionOfTheWindow(const QWidget& widget) {
    return qobject_cast<const QDialog*>(&widget) != nullptr &&
           qobject_cast<const QMainWindow*>(widget.parentWidget()) != nullptr;
}

/// What the guide calls a widget; empty where it has no name for it.
QString subjectOf(const QWidget& widget) {
    if (const auto* document = qobject_cast<const Document*>(&widget)) {
        const QString engine = kEngine + engineOf(*document);
        return isInGuide(engine) ? engine : kDocument + document->kind();
    }
    if (const QString pane = kPane + widget.objectName(); isInGuide(pane)) return pane;
    const QString control = QString::fromLatin1(widget.metaObject()->className()).section(u"::"_s, -1);
    return isInGuide(control) || !isQuestionOfTheWindow(widget) ? control : kPane + u"question"_s;
}

QString labelOfField(const QWidget& widget) {
    auto* field = qobject_cast<Field*>(const_cast<QWidget*>(&widget));
    return field == nullptr ? QString() : field->control()->accessibleName().section(u": "_s, 0, 0);
}

QString listed(const QString& label, const QString& option, const QString& help) {
    QString line = u"- **%1**"_s.arg(label);
    if (!option.isEmpty()) line += u" (`%1`)"_s.arg(option);
    return line + u": "_s + help.toHtmlEscaped() + u"\n"_s;
}

QString fieldsOf(const study::Engine& engine) {
    QString text;
    for (const study::Parameter& row : engine.parameters())
        text += listed(labelOf(row), toQt(row.option), toQt(row.help));
    return text;
}

QString fieldsOf(const HardwareKind& kind) {
    QString text;
    for (const QVector<FieldRow>& rows : {kind.fields, kind.bound, kind.moreFields})
        for (const FieldRow& row : rows) text += listed(row.label, {}, row.help);
    return text;
}

/// "<!-- fields: engine/plan -->" of a page stands for the list of the form's fields.
QString withFields(QString text) {
    static const QRegularExpression kMark(u"<!-- fields: (\\w+)/(\\w+) -->"_s);
    for (QRegularExpressionMatch match = kMark.match(text); match.hasMatch(); match = kMark.match(text)) {
        QString list;
        if (match.captured(1) == QLatin1String("engine")) {
            for (const study::Engine& engine : study::engines())
                if (toQt(engine.id) == match.captured(2)) list = fieldsOf(engine);
        } else if (const HardwareKind* kind = hardwareKind(match.captured(2)); kind != nullptr) {
            list = fieldsOf(*kind);
        }
        text.replace(match.capturedStart(), match.capturedLength(), list);
    }
    return text;
}

QString textOf(const QString& page) {
    QFile file(kFolder + page + u".md"_s);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

}  // namespace

QVector<GuidePage> guidePages() {
    static const QRegularExpression kLink(u"\\[([^\\]]+)\\]\\((\\w+)\\.md\\)"_s);
    QVector<GuidePage> pages;
    for (auto match = kLink.globalMatch(textOf(kGuideContents)); match.hasNext();) {
        const QRegularExpressionMatch link = match.next();
        pages.append({link.captured(2), link.captured(1)});
    }
    return pages;
}

QStringList guideSubjects() {
    QStringList subjects;
    for (const SubjectRow& row : kSubjects) subjects.append(QString::fromLatin1(row.subject));
    return subjects;
}

bool isInGuide(const QString& subject) {
    return rowOf(subject) != nullptr;
}

GuidePlace guidePlaceOf(const QString& subject) {
    const SubjectRow* row = rowOf(subject);
    if (row == nullptr) return {};
    return {QString::fromLatin1(row->page), QString::fromUtf8(row->section)};
}

GuidePlace guidePlaceOf(const QWidget* control) {
    QString field;
    for (const QWidget* widget = control; widget != nullptr; widget = widget->parentWidget()) {
        if (field.isEmpty()) field = labelOfField(*widget);
        if (const QString subject = subjectOf(*widget); isInGuide(subject)) {
            GuidePlace place = guidePlaceOf(subject);
            place.field = field;
            return place;
        }
    }
    return {};
}

QString guideText(const QString& page) {
    return withFields(textOf(page));
}

QString guidePicture(const QString& name) {
    return u":/tessera/guide/pictures/"_s + QFileInfo(name).fileName();
}

}  // namespace tessera::ui
