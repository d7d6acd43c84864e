#include "ui/views/runs/model_document.h"

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QFileInfo>
#include <QFontMetrics>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <vector>

#include "core/study/title.h"
#include "ui/models/background.h"
#include "ui/models/document_keys.h"
#include "ui/models/engine_words.h"
#include "ui/models/graph_colouring.h"
#include "ui/models/graph_contents.h"
#include "ui/models/layer_table.h"
#include "ui/models/model_overview.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_model.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/explain_dialog.h"
#include "ui/views/focus_start.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kLargestDimension = 1'000'000'000;
constexpr int kTypingPause = 500;  // ms
constexpr int kAnotherRun = -1;    ///< in the list of colourings: asks for a run

QString titleOfKey(const QString& key) {
    if (key.startsWith(u"zoo:"_s)) return key.mid(4);
    const QString name = QFileInfo(key).fileName();
    return name.isEmpty() ? key : name;
}

/// A bar of shares of memory.
class MemoryBar : public QWidget {
public:
    explicit MemoryBar(QWidget* parent = nullptr) : QWidget(parent) {
        setFixedHeight(theme().size("row") + 2 * theme().spacing());
        setAccessibleName(u"Memory by class"_s);
    }
    void setClasses(const QVector<MemoryClass>& classes) {
        classes_ = classes;
        update();
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override;

private:
    QVector<MemoryClass> classes_;
};

void MemoryBar::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme().font(Theme::Text::caption));
    double sum = 0;
    for (const MemoryClass& part : classes_) sum += part.bytes.value_or(0);
    if (sum <= 0) return;
    const QRectF place(0, theme().spacing(), width(), height() - 2.0 * theme().spacing());
    double x = 0;
    for (int i = 0; i < classes_.size(); ++i) {
        const double share = classes_[i].bytes.value_or(0) / sum;
        const QRectF piece(x, place.top(), std::max(0.0, share * width() - 1), place.height());
        x += share * width();
        const QColor colour = theme().category(i);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawRoundedRect(piece, 2, 2);
        painter.setPen(theme().textOn(colour));
        const QString text = classes_[i].name;
        if (painter.fontMetrics().horizontalAdvance(text) + 12 < piece.width())
            painter.drawText(piece, Qt::AlignCenter, text);
    }
}

/// One line of text that is cut in its middle where there is no room; the tooltip says it in full.
class CutLabel : public QLabel {
public:
    explicit CutLabel(QWidget* parent) : QLabel(parent) {
        setTextFormat(Qt::PlainText);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }
    void setWhole(const QString& text) {
        whole_ = text;
        setAccessibleName(text);
        cut();
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QLabel::resizeEvent(event);
        cut();
    }

private:
    void cut() {
        setText(fontMetrics().elidedText(whole_, Qt::ElideMiddle, std::max(width(), 1)));
        setToolTip(text() == whole_ ? QString() : whole_.toHtmlEscaped());
    }

    QString whole_;
};

}  // namespace

struct ModelDocument::Implementation {
    explicit Implementation(ModelDocument* document) : q(document), key(document->key()) {}

    ModelDocument* q;
    QString key;
    std::shared_ptr<const ModelContents> contents;
    model::LoadOptions options;
    int generation = 0;
    QString problem;
    std::optional<QJsonObject> arriving;
    GraphOverlay overlay;

    QStackedWidget* pages = nullptr;
    QLabel* waiting = nullptr;
    QLabel* failure = nullptr;
    CutLabel* name = nullptr;
    QLabel* headline = nullptr;
    QLabel* state = nullptr;
    QLabel* notice = nullptr;
    QSpinBox* batch = nullptr;
    QWidget* dimensions = nullptr;
    QGridLayout* dimensionGrid = nullptr;
    std::vector<QWidget*> dimensionCells;  ///< a label and its field each
    std::map<std::string, QSpinBox*> dimensionFields;
    QLabel* coloursLabel = nullptr;
    QVector<QWidget*> zoomButtons;
    QComboBox* colours = nullptr;
    QWidget* ofRun = nullptr;
    CutLabel* runName = nullptr;
    QComboBox* strategies = nullptr;
    QComboBox* splits = nullptr;
    QLineEdit* find = nullptr;
    QLabel* findCount = nullptr;
    QToolButton* findPrevious = nullptr;
    QToolButton* findNext = nullptr;
    QToolButton* backButton = nullptr;
    QToolButton* forwardButton = nullptr;
    QTabWidget* tabs = nullptr;
    GraphView* graph = nullptr;
    TableView* operators = nullptr;
    TableView* layers = nullptr;
    TableView* memory = nullptr;
    TableModel* operatorModel = nullptr;
    TableModel* layerModel = nullptr;
    TableModel* memoryModel = nullptr;
    MemoryBar* memoryBar = nullptr;
    std::shared_ptr<ModelTableSource> source = std::make_shared<ModelTableSource>();
    QTimer typing;
    QVector<QAction*> actions;
    QAction* backAction = nullptr;
    QAction* forwardAction = nullptr;
    QActionGroup* colourActions = nullptr;

    QLabel* label(const QString& text, const char* look, const char* value) const {
        auto* made = new QLabel(text, q);
        made->setTextFormat(Qt::PlainText);
        if (look != nullptr) setLook(*made, look, QLatin1String(value));
        return made;
    }

    QAction* action(const QString& title, const QString& icon, const QKeySequence& keys,
                    const std::function<void()>& run) {
        auto* made = new QAction(theme().icon(icon), title, q);
        made->setShortcut(keys);
        made->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        made->setToolTip(keys.isEmpty() ? title : u"%1 (%2)"_s.arg(title, keys.toString(QKeySequence::NativeText)));
        QObject::connect(made, &QAction::triggered, q, run);
        q->addAction(made);
        actions.append(made);
        return made;
    }

    QToolButton* button(QAction* made) const {
        auto* tool = new QToolButton(q);
        tool->setDefaultAction(made);
        tool->setToolButtonStyle(Qt::ToolButtonIconOnly);
        tool->setAutoRaise(true);
        tool->setAccessibleName(made->text());
        return tool;
    }

    void build() {
        pages = new QStackedWidget(q);
        auto* all = bareLayout<QVBoxLayout>(q);
        all->addWidget(pages);
        pages->addWidget(waitingPage());
        pages->addWidget(failurePage());
        pages->addWidget(contentPage());
        typing.setSingleShot(true);
        typing.setInterval(kTypingPause);
        QObject::connect(&typing, &QTimer::timeout, q, [this] { reload(); });
    }

    QWidget* waitingPage() {
        auto* page = new QWidget(q);
        auto* layout = new QVBoxLayout(page);
        waiting = label(u"Reading %1…"_s.arg(titleOfKey(key)), "tone", "secondary");
        waiting->setAlignment(Qt::AlignCenter);
        auto* bar = new QProgressBar(page);
        bar->setRange(0, 0);
        bar->setTextVisible(false);
        bar->setFixedSize(theme().spacing(55), theme().spacing());
        bar->setAccessibleName(u"Reading the model"_s);
        layout->addStretch();
        layout->addWidget(waiting);
        layout->addSpacing(theme().spacing(2));
        layout->addWidget(bar, 0, Qt::AlignHCenter);
        layout->addStretch();
        return page;
    }

    QWidget* failurePage() {
        auto* page = new QWidget(q);
        auto* layout = new QVBoxLayout(page);
        failure = label({}, "tone", "secondary");
        failure->setWordWrap(true);
        failure->setAlignment(Qt::AlignCenter);
        failure->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        auto* retry = new QPushButton(theme().icon(u"refresh"_s), u"Try again"_s, page);
        QObject::connect(retry, &QPushButton::clicked, q, [this] { load(); });
        layout->addStretch();
        layout->addWidget(failure);
        layout->addSpacing(theme().spacing(3));
        layout->addWidget(retry, 0, Qt::AlignHCenter);
        layout->addStretch();
        layout->setContentsMargins(theme().spacing(12), 0, theme().spacing(12), 0);
        return page;
    }

    QWidget* contentPage() {
        auto* page = new QWidget(q);
        auto* layout = new QVBoxLayout(page);
        const int padding = theme().spacing(3);
        layout->setContentsMargins(padding, padding, padding, padding);
        layout->setSpacing(theme().spacing(2));
        layout->addLayout(titleRow());
        graph = new GraphView(page);
        makeActions();
        notice = label({}, "tone", "secondary");
        notice->setWordWrap(true);
        notice->hide();
        layout->addWidget(notice);
        tabs = new QTabWidget(page);
        tabs->setDocumentMode(true);
        tabs->addTab(graphPage(), theme().icon(u"model"_s), u"Graph"_s);
        operatorModel = new TableModel(operatorColumns(source), q);
        operators = new TableView(operatorModel, titleOfKey(key) + u"-operators"_s, page);
        operators->setEmptyText(u"This model is a table of layers and has no operators; see Layers."_s);
        tabs->addTab(operators, theme().icon(u"table"_s), u"Operators"_s);
        layerModel = new TableModel(layerColumns(source), q);
        layers = new TableView(layerModel, titleOfKey(key) + u"-layers"_s, page);
        tabs->addTab(layers, theme().icon(u"layers"_s), u"Layers"_s);
        tabs->addTab(memoryPage(), theme().icon(u"memory"_s), u"Memory"_s);
        layout->addWidget(tabs, 1);
        connectViews();
        setFocusStart(*q, *graph);
        return page;
    }

    QLayout* titleRow() {
        auto* all = bareLayout<QVBoxLayout>(theme().spacing() / 2);
        auto* row = bareLayout<QHBoxLayout>(theme().spacing(2));
        name = new CutLabel(q);
        setLook(*name, "letters", u"panel-title"_s);
        name->setWhole(titleOfKey(key));
        row->addWidget(name, 1);
        state = label({}, "tone", "secondary");
        row->addWidget(state);
        auto* batchLabel = label(u"Batch"_s, "tone", "secondary");
        batch = new QSpinBox(q);
        batch->setRange(1, kLargestDimension);
        batch->setAccessibleName(u"Batch"_s);
        batch->setToolTip(u"Samples in one step: the value of the first dimension of the inputs"_s);
        batchLabel->setBuddy(batch);
        QObject::connect(batch, &QSpinBox::valueChanged, q, [this](int value) {
            options.batch = value;
            typing.start();
        });
        row->addWidget(batchLabel);
        row->addWidget(batch);
        all->addLayout(row);
        headline = label({}, "tone", "secondary");
        headline->setTextInteractionFlags(Qt::TextSelectableByMouse);
        headline->setWordWrap(true);  // between facts only: their own spaces do not break
        headline->setMinimumWidth(theme().spacing(20));
        headline->setAccessibleName(u"Counts of the model"_s);
        all->addWidget(headline);
        dimensions = new QWidget(q);
        dimensionGrid = new QGridLayout(dimensions);
        dimensionGrid->setContentsMargins(0, theme().spacing(), 0, 0);
        dimensionGrid->setHorizontalSpacing(theme().spacing(4));
        dimensionGrid->setVerticalSpacing(theme().spacing());
        dimensions->hide();
        all->addWidget(dimensions);
        return all;
    }

    void makeActions() {
        action(u"Fit"_s, u"fit"_s, QKeySequence(u"Ctrl+0"_s), [this] { graph->fit(); });
        action(u"Zoom in"_s, u"zoom-in"_s, QKeySequence::ZoomIn, [this] { graph->zoomBy(1.25); });
        action(u"Zoom out"_s, u"zoom-out"_s, QKeySequence::ZoomOut, [this] { graph->zoomBy(0.8); });
        action(u"Open all groups"_s, u"expand"_s, QKeySequence(u"Ctrl+Shift+E"_s), [this] { graph->expandAll(); });
        action(u"Fold all groups"_s, u"collapse"_s, QKeySequence(u"Ctrl+Shift+C"_s), [this] { graph->collapseAll(); });
        backAction = action(u"Back"_s, u"back"_s, QKeySequence(u"Alt+Left"_s), [this] { graph->back(); });
        forwardAction = action(u"Forward"_s, u"forward"_s, QKeySequence(u"Alt+Right"_s), [this] { graph->forward(); });
        action(u"Find in the graph"_s, u"search"_s, QKeySequence::Find, [this] {
            tabs->setCurrentIndex(0);
            find->setFocus();
            find->selectAll();
        });
        QAction* across = action(u"From left to right"_s, u"right"_s, {}, [] {});
        across->setCheckable(true);
        QObject::connect(across, &QAction::toggled, q, [this](bool on) { graph->setLeftToRight(on); });
        colourActions = new QActionGroup(q);
        for (const ColouringKind& kind : colouringKinds()) {
            QAction* made =
                action(u"Colour by %1"_s.arg(titleOf(kind)), u"palette"_s, {}, [this, by = kind.by] { colourBy(by); });
            made->setCheckable(true);
            made->setChecked(kind.by == ColourBy::operatorClass);
            made->setEnabled(!kind.needsRun);
            made->setData(static_cast<int>(kind.by));
            colourActions->addAction(made);
        }
        action(u"Colour by a run…"_s, u"palette"_s, {}, [this] { emit q->overlayWanted(); });
        for (const study::Engine& engine : study::engines())
            if (acceptsModels(engine))
                action(u"%1 with this model"_s.arg(newStudyText(engine)), iconOf(engine), {},
                       [this, id = idOf(engine)] { emit q->openRequested(u"study"_s, newStudyKey(id, key)); });
        for (const auto& [engine, title] : studiesOfJobs())
            action(title, iconOf(*engine), {},
                   [this, id = idOf(*engine)] { emit q->openRequested(u"study"_s, jobsKey(id, key)); });
    }

    QWidget* graphPage() {
        auto* page = new QWidget(q);
        auto* layout = new QVBoxLayout(page);
        layout->setContentsMargins(0, theme().spacing(2), 0, 0);
        layout->setSpacing(theme().spacing(2));
        auto* row = bareLayout<QHBoxLayout>(theme().spacing());
        for (QAction* made : {backAction, forwardAction}) row->addWidget(button(made));
        row->addSpacing(theme().spacing(2));
        for (int i = 0; i < 5; ++i) {
            auto* made = button(actions[i]);
            if (i == 1 || i == 2) zoomButtons.append(made);
            row->addWidget(made);
        }
        row->addSpacing(theme().spacing(2));
        coloursLabel = label(u"Colour by"_s, "tone", "secondary");
        row->addWidget(coloursLabel);
        colours = new QComboBox(page);
        colours->setAccessibleName(u"Colour by"_s);
        colours->setToolTip(u"Colour graph by"_s);
        QObject::connect(colours, &QComboBox::activated, q, [this] {
            const int chosen = colours->currentData().toInt();
            colourBy(chosen == kAnotherRun ? graph->colourBy() : static_cast<ColourBy>(chosen));
            if (chosen == kAnotherRun) emit q->overlayWanted();
        });
        row->addWidget(colours);
        colours->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        // What the colours mean is always legible.
        colours->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
        fillColours();
        row->addStretch(0);  // what the search cannot use
        findCount = label({}, "tone", "secondary");
        row->addWidget(findCount);
        find = new QLineEdit(page);
        find->setPlaceholderText(u"Find name, type or shape"_s);
        find->setAccessibleName(u"Find in the graph"_s);
        find->setClearButtonEnabled(true);
        find->addAction(theme().icon(u"search"_s, "secondary"), QLineEdit::LeadingPosition);
        find->setMinimumWidth(theme().spacing(16));
        find->setMaximumWidth(theme().spacing(62));
        row->addWidget(find, 1);
        findPrevious = finder(u"up"_s, u"Previous match"_s, -1);
        findNext = finder(u"down"_s, u"Next match"_s, 1);
        row->addWidget(findPrevious);
        row->addWidget(findNext);
        layout->addLayout(row);
        layout->addWidget(overlayBar());
        layout->addWidget(graph, 1);
        page->setMinimumWidth(theme().spacing(140));  // parts of the bar give way only once the page is narrow
        return page;
    }

    /// Which run the colours are of, and what of it.
    QWidget* overlayBar() {
        ofRun = new QWidget(q);
        auto* row = bareLayout<QHBoxLayout>(ofRun, theme().spacing(2));
        runName = new CutLabel(ofRun);
        setLook(*runName, "tone", u"secondary"_s);
        row->addWidget(runName, 1);
        strategies = new QComboBox(ofRun);
        strategies->setAccessibleName(u"Strategy"_s);
        strategies->setToolTip(u"Which strategy of the run the colours are of"_s);
        splits = new QComboBox(ofRun);
        splits->setAccessibleName(u"Split"_s);
        splits->setToolTip(u"Which split of the array the colours are of"_s);
        for (QComboBox* box : {strategies, splits}) {
            box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
            box->setMinimumWidth(theme().spacing(16));
            QObject::connect(box, &QComboBox::activated, q, [this] {
                overlay.strategy = strategies->currentText();
                overlay.split = std::max(0, splits->currentIndex());
                fillSplits();
                graph->setOverlay(overlay);
            });
            row->addWidget(box);
        }
        ofRun->hide();
        return ofRun;
    }

    QToolButton* finder(const QString& icon, const QString& words, int step) const {
        auto* tool = new QToolButton(q);
        tool->setIcon(theme().icon(icon));
        tool->setToolTip(words);
        tool->setAccessibleName(words);
        tool->setAutoRaise(true);
        tool->setEnabled(false);
        QObject::connect(tool, &QToolButton::clicked, q, [this, step] { graph->searchNext(step); });
        return tool;
    }

    QWidget* memoryPage() {
        auto* page = new QWidget(q);
        auto* layout = new QVBoxLayout(page);
        layout->setContentsMargins(0, theme().spacing(3), 0, 0);
        layout->addWidget(
            label(u"Memory of one training step, the whole model on one device"_s, "letters", "panel-title"));
        memoryBar = new MemoryBar(page);
        layout->addWidget(memoryBar);
        memoryModel = new TableModel(memoryColumns(source), q);
        memory = new TableView(memoryModel, titleOfKey(key) + u"-memory"_s, page);
        memory->setFilterVisible(false);
        QObject::connect(memory, &TableView::explainRequested, q, [this](int row, int /*column*/) {
            if (const auto explanation = explainMemory(*contents, contents->memory.at(row).use))
                showExplanation(*explanation, *q);
        });
        layout->addWidget(memory, 1);
        return page;
    }

    void fillColours() {
        colours->clear();
        for (const ColouringKind& kind : colouringKinds())
            if (!kind.needsRun || overlay.result) colours->addItem(titleOf(kind), static_cast<int>(kind.by));
        colours->addItem(overlay.result ? u"another run…"_s : u"a run…"_s, kAnotherRun);
        colours->setCurrentIndex(colours->findData(static_cast<int>(graph->colourBy())));
    }

    /// Strategies split the array alike, but not all as deep.
    void fillSplits() {
        splits->clear();
        splits->addItems(splitsOf(overlay));
        overlay.split = std::clamp(overlay.split, 0, std::max(0, splits->count() - 1));
        splits->setCurrentIndex(overlay.split);
    }

    void colourBy(ColourBy by) {
        graph->setColourBy(by);
        colours->setCurrentIndex(colours->findData(static_cast<int>(by)));
        for (QAction* made : colourActions->actions())
            if (made->data().toInt() == static_cast<int>(by)) made->setChecked(true);
        const bool needsRun = by == ColourBy::partitionType || by == ColourBy::time;
        ofRun->setVisible(needsRun && overlay.result);
    }

    void connectViews() {
        QObject::connect(graph, &GraphView::nodeSelected, q, [this](int node) {
            if (contents) emit q->inspected(factsOf(*contents, node));
        });
        QObject::connect(graph, &GraphView::nodeActivated, q, [this](int node) {
            const int row = contents ? operatorRowOfNode(*contents, node) : -1;
            if (row < 0) return;
            tabs->setCurrentWidget(operators);
            operators->setCurrentRow(row);
        });
        QObject::connect(graph, &GraphView::noted, q, [this](const QString& sentence) {
            notice->setText(sentence);
            notice->setVisible(!sentence.isEmpty());
            emit q->messaged(sentence, key);
        });
        QObject::connect(graph, &GraphView::laidOut, q, [this] {
            if (graph->note().isEmpty()) notice->hide();
            emit q->loaded();
        });
        QObject::connect(graph, &GraphView::viewChanged, q, [this] {
            backAction->setEnabled(graph->canGoBack());
            forwardAction->setEnabled(graph->canGoForward());
            showFound();
        });
        backAction->setEnabled(false);
        forwardAction->setEnabled(false);
        QObject::connect(find, &QLineEdit::textChanged, q, [this](const QString& text) {
            matches = graph->search(text);
            showFound();
        });
        QObject::connect(find, &QLineEdit::returnPressed, q, [this] { graph->searchNext(1); });
        QObject::connect(operators, &TableView::currentRowChanged, q, [this](int row) {
            const int node = contents ? nodeOfOperatorRow(*contents, row) : -1;
            emit q->inspected(node >= 0 ? factsOf(*contents, node) : Facts{});
        });
        QObject::connect(operators, &TableView::rowActivated, q, [this](int row) {
            const int node = contents ? nodeOfOperatorRow(*contents, row) : -1;
            if (node < 0) return;
            tabs->setCurrentIndex(0);
            graph->reveal(node);
            graph->setFocus();
        });
    }

    int matches = 0;
    void showFound() const {
        const bool isEmpty = find->text().trimmed().isEmpty();
        if (isEmpty)
            findCount->setText({});
        else if (matches == 0)
            findCount->setText(u"nothing found"_s);
        else
            findCount->setText(u"%1 of %2"_s.arg(graph->searchPosition()).arg(matches));
        findPrevious->setEnabled(!isEmpty && matches > 0);
        findNext->setEnabled(!isEmpty && matches > 0);
    }

    void load() {
        pages->setCurrentIndex(contents ? 2 : 0);
        state->setText(contents ? u"reading…"_s : QString());
        const int request = ++generation;
        inBackground(
            q, [wanted = key, chosen = options] { return loadContents(wanted, chosen); },
            [this, request](std::shared_ptr<const ModelContents> next) {
                if (request == generation) accept(std::move(next));
            },
            [this, request](const QString& sentence) {
                if (request == generation) fail(sentence);
            });
    }

    void reload() { load(); }

    void fail(const QString& sentence) {
        state->setText({});
        problem = sentence;
        emit q->messaged(sentence, key);
        if (contents) {  // what is shown stays; the fields say what was asked for
            notice->setText(sentence);
            notice->show();
        } else {
            failure->setText(sentence);
            pages->setCurrentIndex(1);
        }
        emit q->failed(sentence);
    }

    void accept(std::shared_ptr<const ModelContents> next) {
        problem.clear();
        state->setText({});
        notice->hide();
        const bool isFirst = !contents;
        contents = std::move(next);
        pages->setCurrentIndex(2);
        headline->setText(headlineOf(*contents));
        const QSignalBlocker quiet(batch);
        batch->setValue(static_cast<int>(std::min<std::int64_t>(contents->summary.batch, kLargestDimension)));
        if (isFirst && batch->hasFocus()) graph->setFocus();
        if (isFirst) showDimensions();
        source->contents = contents;
        operatorModel->setRowCount(operatorRows(*contents));
        layerModel->setRowCount(layerRows(*contents));
        memoryModel->setRowCount(static_cast<int>(contents->memory.size()));
        memoryBar->setClasses(contents->memory);
        if (!contents->layersProblem.isEmpty()) layers->setEmptyText(contents->layersProblem);
        tabs->setTabVisible(1, contents->graph() != nullptr);
        graph->setOverlay(overlay);
        graph->setContents(contents);
        if (isFirst)
            for (const std::string& warning : contents->model.warnings)
                emit q->messaged(shownName(warning), shownName(warning));
        if (arriving) {
            const QJsonObject view = *arriving;
            arriving.reset();
            q->restoreView(view);
        }
        emit q->titleChanged();
        emit q->overviewChanged();
    }

    /// A field for every symbolic dimension that the file leaves open.
    void showDimensions() {
        constexpr std::size_t kMaxFields = 4;
        for (const std::string& dimension : contents->unbound) {
            if (dimensionFields.size() >= kMaxFields || dimensionFields.contains(dimension)) continue;
            auto* cell = new QWidget(dimensions);
            auto* line = bareLayout<QHBoxLayout>(cell);
            const QString shown = shownName(dimension);
            auto* words = label({}, "tone", "secondary");
            words->setText(words->fontMetrics().elidedText(shown, Qt::ElideMiddle, theme().spacing(24)));
            words->setToolTip(shown.toHtmlEscaped());
            auto* field = new QSpinBox(cell);
            field->setRange(0, kLargestDimension);
            field->setSpecialValueText(u"open"_s);
            field->setAccessibleName(shownName(dimension));
            field->setToolTip(u"The value of this dimension; as long as it is open, counts that need it are unknown"_s);
            QObject::connect(field, &QSpinBox::valueChanged, q, [this, dimension](int value) {
                if (value > 0)
                    options.dimensions[dimension] = value;
                else
                    options.dimensions.erase(dimension);
                typing.start();
            });
            words->setBuddy(field);
            line->addWidget(words);
            line->addWidget(field);
            dimensionCells.push_back(cell);
            dimensionFields.emplace(dimension, field);
        }
        dimensions->setVisible(!dimensionFields.empty());
        arrangeDimensions();
    }

    /// As many fields beside each other as there is room for.
    void arrangeDimensions() const {
        int widest = 1;
        for (const QWidget* cell : dimensionCells)
            widest = std::max(widest, cell->sizeHint().width() + dimensionGrid->horizontalSpacing());
        const int columns = std::max(1, q->width() / widest);
        for (int i = 0; i < dimensionGrid->columnCount(); ++i) dimensionGrid->setColumnStretch(i, 0);
        for (std::size_t i = 0; i < dimensionCells.size(); ++i) {
            const int place = static_cast<int>(i);
            dimensionGrid->addWidget(dimensionCells[i], place / columns, place % columns, Qt::AlignLeft);
        }
        dimensionGrid->setColumnStretch(columns, 1);
    }
};

ModelDocument::ModelDocument(const QString& key, QWidget* parent)
    : Document(parent, key), d_(new Implementation(this)) {
    d_->build();
    d_->load();
}
ModelDocument::~ModelDocument() = default;

QString ModelDocument::title() const {
    return titleOfKey(key());
}
QVector<QAction*> ModelDocument::documentActions() {
    return d_->actions;
}

QVector<Exportable> ModelDocument::exportables() {
    if (!d_->contents) return {};
    QVector<Exportable> all{d_->graph->exportable()};
    for (TableView* table : {d_->operators, d_->layers, d_->memory}) all.append(table->exportable());
    return all;
}

QJsonObject ModelDocument::saveView() const {
    if (!d_->contents) return d_->arriving.value_or(QJsonObject());
    QJsonObject view;
    view[u"tab"_s] = d_->tabs->currentIndex();
    view[u"graph"_s] = d_->graph->saveView();
    if (d_->options.batch) view[u"batch"_s] = static_cast<double>(*d_->options.batch);
    return view;
}

void ModelDocument::restoreView(const QJsonObject& view) {
    const int batch = view[u"batch"_s].toInt(0);
    if (!d_->contents) {
        d_->arriving = view;
        if (batch > 0) {
            d_->options.batch = batch;
            d_->load();
        }
        return;
    }
    const int tab = view[u"tab"_s].toInt(0);
    if (tab >= 0 && tab < d_->tabs->count() && d_->tabs->isTabVisible(tab)) d_->tabs->setCurrentIndex(tab);
    d_->graph->restoreView(view[u"graph"_s].toObject());
    d_->colourBy(d_->graph->colourBy());
}

void ModelDocument::resizeEvent(QResizeEvent* event) {
    Document::resizeEvent(event);
    d_->arrangeDimensions();
    // In a narrow window the field to find things needs the room; the tooltip says what the box is, and the wheel and
    // the keys zoom as well.
    const bool isNarrow = width() < theme().spacing(180);
    d_->coloursLabel->setVisible(!isNarrow);
    for (QWidget* each : d_->zoomButtons) each->setVisible(!isNarrow);
    d_->find->setMinimumWidth(theme().spacing(isNarrow ? 30 : 16));
}

void ModelDocument::setOverlay(const std::shared_ptr<const study::Result>& result, const QString& strategy, int split) {
    d_->overlay = {result, strategy, split};
    d_->strategies->clear();
    d_->strategies->addItems(strategiesOf(d_->overlay));
    if (!strategy.isEmpty()) d_->strategies->setCurrentText(strategy);
    d_->overlay.strategy = d_->strategies->currentText();
    if (result) d_->runName->setWhole(u"Colours of %1"_s.arg(shownText(study::titleOf(result->study))));
    d_->fillSplits();
    for (QAction* made : d_->colourActions->actions()) made->setEnabled(true);
    d_->graph->setOverlay(d_->overlay);
    d_->fillColours();
    d_->tabs->setCurrentIndex(0);
    d_->colourBy(result ? ColourBy::partitionType : ColourBy::operatorClass);
}

Facts ModelDocument::overview() const {
    if (!d_->contents) return {};
    Facts facts = overviewOf(d_->contents);
    facts.title = title();
    facts.actions.append(
        {u"New study with this model"_s, u"study"_s, [document = QPointer<Document>(const_cast<ModelDocument*>(this))] {
             if (document)
                 emit document->openRequested(u"study"_s, newStudyKey(idOf(study::engines().front()), document->key()));
         }});
    return facts;
}

bool ModelDocument::showPlace(const QString& place) {
    const int node = d_->contents ? nodeNamedIn(*d_->contents, place) : -1;
    if (node < 0) return false;
    d_->graph->reveal(node);
    return true;
}

bool ModelDocument::isLoaded() const {
    return d_->contents != nullptr && d_->graph->isLaidOut();
}
QString ModelDocument::problem() const {
    return d_->problem;
}
GraphView* ModelDocument::graphView() const {
    return d_->graph;
}

}  // namespace tessera::ui
