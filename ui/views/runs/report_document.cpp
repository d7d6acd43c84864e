#include "ui/views/runs/report_document.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDate>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/account.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/draw/raster.h"
#include "ui/models/background.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/fitting_box.h"
#include "ui/views/message_bar.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/svg_pages.h"
#include "ui/views/text_label.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kRenderDelay = 250;
constexpr int kPageWidth = 794, kPageHeight = 1123;  ///< at 100 %, of a page that stands
constexpr auto kAuthor = "report/author";
constexpr std::array kZooms{0.5, 0.75, 1.0, 1.25, 1.5, 2.0};
constexpr int kMaxPages = 40;  ///< in the preview; an export has them all

/// What a report consists of, alive on any thread.
struct Plan {
    QString title;
    std::vector<RunState> runs;
    report::ReportOptions options;

    std::vector<report::ReportRun> reportRuns() const {
        std::vector<report::ReportRun> list;
        for (const RunState& run : runs) list.push_back({.title = run.title.toStdString(), .result = run.result.get()});
        return list;
    }
};

struct Preview {
    std::vector<QImage> pages;
    std::size_t all = 0;
    QString problem;  ///< why the pages are not drawn as they will be printed
};

/// A page as it will be printed. Throws FileError where that cannot be drawn.
QImage printedImageOf(const std::string& page, double scale) {
    const std::string png = report::toPng(page, scale);
    QImage image;
    image.loadFromData(reinterpret_cast<const uchar*>(png.data()), static_cast<int>(png.size()), "PNG");
    return image;
}

/// The page as it will be printed, else as well as Qt can draw it.
void addPage(Preview& preview, const std::string& page, double scale) {
    if (preview.problem.isEmpty()) {
        try {
            preview.pages.push_back(printedImageOf(page, scale));
            return;
        } catch (const FileError& error) {
            preview.problem = QString::fromUtf8(error.what());
        }
    }
    preview.pages.push_back(imageByQt(page, scale));
}

Preview previewOf(const Plan& plan, double scale) {
    Preview preview;
    preview.problem = toQt(report::whyNoHatches());
    const std::vector<std::string> pages =
        report::reportPages(plan.title.toStdString(), plan.reportRuns(), plan.options);
    preview.all = pages.size();
    for (const std::string& page : pages)
        if (preview.pages.size() < kMaxPages) addPage(preview, page, scale);
    return preview;
}

/// Writes the report in the format that the file's name ends in.
void write(const Plan& plan, const QString& path) {
    const std::string title = plan.title.toStdString();
    std::string bytes;
    if (path.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) {
        bytes =
            report::withAttachments(pdfOf(report::reportPages(title, plan.reportRuns(), plan.options)), title,
                                    plan.options.author, report::reportAttachments(plan.reportRuns(), plan.options));
    } else if (path.endsWith(QLatin1String(".md"), Qt::CaseInsensitive)) {
        bytes = report::markdownReport(title, plan.reportRuns(), plan.options);
    } else {
        bytes = report::htmlReport(title, plan.reportRuns(), plan.options);
    }
    writeFile(path.toStdString(), bytes);
}

/// A section that can be left out: a row of the list of boxes.
struct SectionRow {
    const char* id;
    const char* title;
    bool report::ReportOptions::*field;
};

constexpr std::array kSections{
    SectionRow{"comparison", "Comparison", &report::ReportOptions::comparison},
    SectionRow{"pictures", "Pictures", &report::ReportOptions::pictures},
    SectionRow{"tables", "Tables", &report::ReportOptions::tables},
    SectionRow{"assumptions", "Assumptions and warnings", &report::ReportOptions::assumptions},
    SectionRow{"provenance", "Where from", &report::ReportOptions::provenance},
    SectionRow{"studies", "Studies as attached files", &report::ReportOptions::studies},
};

}  // namespace

struct ReportDocument::Implementation {
    ReportDocument* document = nullptr;
    std::vector<RunState> runs;
    int generation = 0;

    QStackedWidget* stack = nullptr;
    EmptyState* empty = nullptr;
    QLineEdit* title = nullptr;
    QLineEdit* question = nullptr;
    QLineEdit* author = nullptr;
    QComboBox* baseline = nullptr;
    QLabel* baselineLabel = nullptr;
    std::array<QCheckBox*, kSections.size()> boxes{};
    std::vector<QCheckBox*> runBoxes;
    QVBoxLayout* runColumn = nullptr;
    QLabel* status = nullptr;
    MessageBar* note = nullptr;
    QScrollArea* scroll = nullptr;
    QComboBox* zoomBox = nullptr;
    QWidget* paper = nullptr;
    QVBoxLayout* pages = nullptr;
    std::vector<QLabel*> sheets;
    std::vector<QSizeF> sizes;  ///< theirs at 100 %
    double drawn = 0;           ///< the zoom that the pages were drawn for
    int pageCount = 0;
    QTimer* renderTimer = nullptr;
    QAction* html = nullptr;
    QAction* pdf = nullptr;
    QAction* markdown = nullptr;

    void build();
    QWidget* buildChoices();
    void buildActions();
    QPushButton* buttonOf(QAction* action) const;
    Plan plan() const;
    void render();
    void show(const Preview& preview);
    double room() const;
    double zoom() const;
    void fit();
    void askAndExport(const QString& suffix, const QString& filter) const;
};

void ReportDocument::Implementation::build() {
    buildActions();
    auto* outer = bareLayout<QVBoxLayout>(document);
    stack = new QStackedWidget;
    outer->addWidget(stack);
    empty = new EmptyState(u"report"_s, u"Choose runs in the history, then Report, to lay them out here."_s);
    stack->addWidget(empty);
    auto* page = new QWidget;
    stack->addWidget(page);
    auto* row = bareLayout<QHBoxLayout>(page, 0);
    row->addWidget(buildChoices());
    scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // pages as wide as the room do not change it
    scroll->viewport()->installEventFilter(document);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(u"Preview"_s);
    paper = new QWidget;
    pages = new QVBoxLayout(paper);
    pages->setAlignment(Qt::AlignTop | Qt::AlignHCenter);
    pages->setSpacing(theme().spacing(4));
    scroll->setWidget(paper);
    auto* preview = bareLayout<QVBoxLayout>(0);
    note = new MessageBar(page);
    note->hide();
    preview->addWidget(note);
    preview->addWidget(scroll, 1);
    row->addLayout(preview, 1);
    renderTimer = new QTimer(document);
    renderTimer->setSingleShot(true);
    renderTimer->setInterval(kRenderDelay);
    connect(renderTimer, &QTimer::timeout, document, [this] { render(); });
}

QWidget* ReportDocument::Implementation::buildChoices() {
    auto* side = new QWidget;
    side->setFixedWidth(theme().spacing(60));
    const int space = theme().spacing(3);
    // In low windows the choices scroll, and what is done with them stays.
    auto* room = new QScrollArea(side);
    room->setFrameShape(QFrame::NoFrame);
    room->setWidgetResizable(true);
    room->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    room->setAccessibleName(u"Choices"_s);
    room->setFocusPolicy(Qt::NoFocus);
    auto* choices = new QWidget;
    room->setWidget(choices);
    auto* column = new QVBoxLayout(choices);
    column->setContentsMargins(space, space, space, 0);
    column->setSpacing(theme().spacing(2));
    auto* whole = bareLayout<QVBoxLayout>(side, 0);
    whole->addWidget(room, 1);
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(space, space, space, space);
    foot->setSpacing(theme().spacing(2));
    whole->addLayout(foot);
    const auto line = [&](const QString& heading, const QString& name, const QString& text) {
        column->addWidget(textLabel(heading, Theme::Text::base, QString(), true));
        auto* edit = new QLineEdit(text);
        edit->setMaxLength(200);
        edit->setAccessibleName(name);
        column->addWidget(edit);
        connect(edit, &QLineEdit::textChanged, document, [this] { renderTimer->start(); });
        return edit;
    };
    title = line(u"Title"_s, u"Title of the report"_s, u"Tessera report"_s);
    question = line(u"Question"_s, u"Question that the report answers"_s, QString());
    question->setPlaceholderText(u"That of the study"_s);
    author = line(u"Author"_s, u"Author of the report"_s,
                  QSettings().value(QLatin1String(kAuthor), toQt(accountName())).toString());
    connect(author, &QLineEdit::editingFinished, document,
            [this] { QSettings().setValue(QLatin1String(kAuthor), author->text()); });
    column->addSpacing(space);
    column->addWidget(textLabel(u"Sections"_s, Theme::Text::base, QString(), true));
    for (std::size_t index = 0; index < kSections.size(); ++index) {
        auto* box = new QCheckBox(QString::fromUtf8(kSections.at(index).title));
        box->setChecked(report::ReportOptions().*kSections.at(index).field);
        boxes.at(index) = box;
        column->addWidget(box);
        connect(box, &QCheckBox::toggled, document, [this] { renderTimer->start(); });
    }
    column->addSpacing(space);
    column->addWidget(textLabel(u"Runs"_s, Theme::Text::base, QString(), true));
    runColumn = new QVBoxLayout;
    column->addLayout(runColumn);
    baselineLabel = textLabel(u"Compared with"_s, Theme::Text::base, QString(), true);
    column->addWidget(baselineLabel);
    baseline = new FittingBox;
    baseline->setAccessibleName(u"Baseline of the comparison"_s);
    baseline->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    column->addWidget(baseline);
    connect(baseline, qOverload<int>(&QComboBox::activated), document, [this] { renderTimer->start(); });
    column->addWidget(textLabel(u"Zoom of the preview"_s, Theme::Text::base, QString(), true));
    zoomBox = new QComboBox;
    zoomBox->setAccessibleName(u"Zoom of the preview"_s);
    zoomBox->addItem(u"Page width"_s, 0.0);
    for (const double each : kZooms) zoomBox->addItem(u"%1 %"_s.arg(100 * each, 0, 'f', 0), each);
    column->addWidget(zoomBox);
    connect(zoomBox, qOverload<int>(&QComboBox::currentIndexChanged), document, [this] { fit(); });
    column->addStretch();
    status = textLabel(QString(), Theme::Text::base, u"secondary"_s, false, true);
    foot->addWidget(status);
    for (QAction* action : {html, pdf, markdown}) foot->addWidget(buttonOf(action));
    return side;
}

QPushButton* ReportDocument::Implementation::buttonOf(QAction* action) const {
    auto* button = new QPushButton(action->text());
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    return button;
}

void ReportDocument::Implementation::buildActions() {
    const auto add = [this](const QString& text, const QString& suffix, const QString& filter) {
        auto* action = new QAction(theme().icon(u"export"_s), text, document);
        connect(action, &QAction::triggered, document, [this, suffix, filter] { askAndExport(suffix, filter); });
        return action;
    };
    html = add(u"Export HTML…"_s, u"html"_s, u"Web page (*.html)"_s);
    pdf = add(u"Export PDF…"_s, u"pdf"_s, u"PDF (*.pdf)"_s);
    markdown = add(u"Export Markdown…"_s, u"md"_s, u"Markdown (*.md)"_s);
}

Plan ReportDocument::Implementation::plan() const {
    Plan chosen{title->text(), {}, document->options()};
    for (std::size_t run = 0; run < runs.size(); ++run) {
        if (run < runBoxes.size() && !runBoxes[run]->isChecked()) continue;
        if (static_cast<int>(run) == baseline->currentIndex()) chosen.options.baseline = chosen.runs.size();
        chosen.runs.push_back(runs[run]);
    }
    return chosen;
}

void ReportDocument::Implementation::render() {
    ++generation;
    status->setText(u"Laying out the pages…"_s);
    drawn = zoom();
    inBackground(
        document, [chosen = plan(), scale = document->devicePixelRatioF() * drawn] { return previewOf(chosen, scale); },
        [this, at = generation](const Preview& preview) {
            if (at == generation) show(preview);
        },
        [this](const QString& problem) { status->setText(problem); });
}

void ReportDocument::Implementation::show(const Preview& preview) {
    while (QLayoutItem* old = pages->takeAt(0)) {
        if (QWidget* widget = old->widget()) widget->deleteLater();
        delete old;
    }
    sheets.clear();
    sizes.clear();
    note->setVisible(!preview.problem.isEmpty());
    if (!preview.problem.isEmpty())
        note->showMessage(MessageBar::Kind::warning,
                          u"The preview is drawn without hatching: %1"_s.arg(preview.problem));
    for (const QImage& image : preview.pages) {
        auto* label = new QLabel;
        label->setPixmap(QPixmap::fromImage(image));
        label->setScaledContents(true);
        label->setAccessibleName(u"Page of the report"_s);
        pages->addWidget(label);
        sheets.push_back(label);
        const bool turned = image.width() > image.height();
        sizes.emplace_back(turned ? kPageHeight : kPageWidth, turned ? kPageWidth : kPageHeight);
    }
    fit();
    pageCount = static_cast<int>(preview.all);
    status->setText(preview.all > preview.pages.size()
                        ? u"%1 pages; the first %2 are shown."_s.arg(preview.all).arg(preview.pages.size())
                        : (preview.all == 1 ? u"1 page"_s : u"%1 pages"_s.arg(preview.all)));
}

double ReportDocument::Implementation::room() const {
    const QMargins margins = pages->contentsMargins();
    return scroll->viewport()->width() - margins.left() - margins.right();
}

/// How much larger than at 100 % pages are: as wide as the preview, or as chosen.
double ReportDocument::Implementation::zoom() const {
    if (const double chosen = zoomBox->currentData().toDouble(); chosen > 0) return chosen;
    return std::clamp(room() / kPageWidth, kZooms.front() / 2, kZooms.back());
}

/// Pages take their new size at once, and are drawn sharply when it rests. Where they are as wide as the preview, those
/// that lie on their side are, too.
void ReportDocument::Implementation::fit() {
    const double now = zoom();
    const bool asWide = zoomBox->currentData().toDouble() <= 0;
    for (std::size_t i = 0; i < sheets.size(); ++i)
        sheets[i]->setFixedSize((sizes[i] * (asWide ? std::min(now, room() / sizes[i].width()) : now)).toSize());
    if (!sheets.empty() && std::abs(now - drawn) > 1e-3) renderTimer->start();
}

bool ReportDocument::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) d_->fit();
    if (event->type() == QEvent::Wheel) {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        if (wheel->modifiers().testFlag(Qt::ControlModifier)) {
            const int step = wheel->angleDelta().y() > 0 ? 1 : -1;
            int index = d_->zoomBox->currentIndex();
            if (index == 0)  // from the page's width to the next fixed one
                while (index + 1 < d_->zoomBox->count() && d_->zoomBox->itemData(index + 1).toDouble() <= d_->zoom())
                    ++index;
            d_->zoomBox->setCurrentIndex(std::clamp(index + step, 1, d_->zoomBox->count() - 1));
            return true;
        }
    }
    return Document::eventFilter(watched, event);
}

void ReportDocument::Implementation::askAndExport(const QString& suffix, const QString& filter) const {
    auto* dialog =
        new QFileDialog(document, u"Export report"_s, fileStem(title->text()) + QLatin1Char('.') + suffix, filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    connect(dialog, &QFileDialog::fileSelected, document, &ReportDocument::exportReport);
    dialog->open();
}

ReportDocument::ReportDocument(const QString& key, QWidget* parent) : Document(parent, key), d_(new Implementation) {
    d_->document = this;
    d_->build();
}

ReportDocument::~ReportDocument() = default;

QString ReportDocument::title() const {
    return u"Report"_s;
}

QVector<QAction*> ReportDocument::documentActions() {
    return {d_->html, d_->pdf, d_->markdown};
}

void ReportDocument::setRuns(const std::vector<RunState>& runs) {
    d_->runs.clear();
    for (QCheckBox* box : d_->runBoxes) box->deleteLater();
    d_->runBoxes.clear();
    for (const RunState& run : runs) {
        if (run.result == nullptr || runViewOf(*run.result) == nullptr) continue;
        d_->runs.push_back(run);
        auto* box =
            new QCheckBox(QString(shownText(run.title.toStdString())).replace(QLatin1Char('&'), QLatin1String("&&")));
        box->setChecked(true);
        box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // a long title makes the column no wider
        box->setToolTip(shownText(run.title.toStdString()).toHtmlEscaped());
        connect(box, &QCheckBox::toggled, this, [this] { d_->renderTimer->start(); });
        d_->runColumn->addWidget(box);
        d_->runBoxes.push_back(box);
    }
    d_->baseline->clear();
    for (const RunState& run : d_->runs) d_->baseline->addItem(shownText(run.title.toStdString()));
    for (QWidget* each : {static_cast<QWidget*>(d_->boxes.at(0)), static_cast<QWidget*>(d_->baseline),
                          static_cast<QWidget*>(d_->baselineLabel)})
        each->setVisible(d_->runs.size() > 1);
    if (d_->runs.empty() && !runs.empty())
        d_->empty->setSentence(u"None of these runs has a result; finish or run them again to report on them."_s);
    d_->stack->setCurrentIndex(d_->runs.empty() ? 0 : 1);
    if (!d_->runs.empty()) d_->render();
}

void ReportDocument::setReportTitle(const QString& title) {
    d_->title->setText(title);
}

void ReportDocument::setOptions(const report::ReportOptions& options) {
    for (std::size_t index = 0; index < kSections.size(); ++index)
        d_->boxes.at(index)->setChecked(options.*kSections.at(index).field);
}

report::ReportOptions ReportDocument::options() const {
    report::ReportOptions options;
    options.date = QDate::currentDate().toString(Qt::ISODate).toStdString();
    options.author = d_->author->text().toStdString();
    options.question = d_->question->text().toStdString();
    for (std::size_t index = 0; index < kSections.size(); ++index)
        options.*kSections.at(index).field = d_->boxes.at(index)->isChecked();
    return options;
}

int ReportDocument::pageCount() const {
    return d_->pageCount;
}

void ReportDocument::exportReport(const QString& path) {
    inBackground(
        this,
        [plan = d_->plan(), path] {
            write(plan, path);
            return path;
        },
        [this](const QString& written) { emit done(u"Saved %1."_s.arg(written)); },
        [this](const QString& problem) { emit messaged(problem, QString()); });
}

QJsonObject ReportDocument::saveView() const {
    QJsonObject view{{u"title"_s, d_->title->text()},
                     {u"question"_s, d_->question->text()},
                     {u"baseline"_s, d_->baseline->currentIndex()}};
    for (std::size_t index = 0; index < kSections.size(); ++index)
        view.insert(QLatin1String(kSections.at(index).id), d_->boxes.at(index)->isChecked());
    return view;
}

void ReportDocument::restoreView(const QJsonObject& view) {
    const QString title = view.value(QLatin1String("title")).toString();
    if (!title.isEmpty()) d_->title->setText(title);
    d_->question->setText(view.value(QLatin1String("question")).toString());
    if (const int baseline = view.value(QLatin1String("baseline")).toInt(0); baseline < d_->baseline->count())
        d_->baseline->setCurrentIndex(std::max(0, baseline));
    for (std::size_t index = 0; index < kSections.size(); ++index)
        d_->boxes.at(index)->setChecked(view.value(QLatin1String(kSections.at(index).id))
                                            .toBool(report::ReportOptions().*kSections.at(index).field));
}

}  // namespace tessera::ui
