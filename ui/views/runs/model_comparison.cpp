#include "ui/views/runs/model_comparison.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <utility>

#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/fitting_box.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/side_by_side.h"
#include "ui/views/table_view.h"
#include "ui/views/text_label.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

struct ModelComparison::Implementation {
    ModelComparison* owner = nullptr;
    QStringList titles;
    std::shared_ptr<const ModelDifferences> differences;
    QString layer;
    bool following = false;  ///< while one graph is moved after the other, or one selection after another

    QStackedWidget* stack = nullptr;
    EmptyState* empty = nullptr;
    QLabel* problems = nullptr;
    QLabel* beforeTitle = nullptr;
    QComboBox* run = nullptr;
    GraphView* before = nullptr;
    GraphView* after = nullptr;
    QSplitter* parts = nullptr;
    TableView* table = nullptr;

    void build();
    QWidget* side(QWidget* title, GraphView* graph) const;
    void connectGraph(GraphView* graph, GraphView* other);
    void show();
    void reveal() const;
    void choose(const QString& chosen);
    const ModelDifferences::Pair* pair() const;
};

void ModelComparison::Implementation::build() {
    auto* outer = bareLayout<QVBoxLayout>(owner);
    stack = new QStackedWidget(owner);
    outer->addWidget(stack);
    empty = new EmptyState(u"model"_s, u"Reading the models…"_s);
    stack->addWidget(empty);
    auto* page = new QWidget;
    stack->addWidget(page);
    auto* column = bareLayout<QVBoxLayout>(page);
    problems = textLabel({}, Theme::Text::base, u"warning"_s, false, true);
    problems->hide();
    column->addWidget(problems);
    before = new GraphView;
    after = new GraphView;
    beforeTitle = textLabel({}, Theme::Text::base, {}, true);
    run = new FittingBox;
    run->setAccessibleName(u"Run whose model is compared"_s);
    run->setToolTip(u"The run whose model stands beside the baseline's"_s);
    auto* graphs = new SideBySide({side(beforeTitle, before), u"Baseline"_s}, {side(run, after), u"Other run"_s});
    parts = new QSplitter(Qt::Vertical);
    parts->setChildrenCollapsible(false);
    parts->addWidget(graphs);
    parts->setStretchFactor(0, 3);
    column->addWidget(parts, 1);
    connectGraph(before, after);
    connectGraph(after, before);
    connect(run, &QComboBox::currentIndexChanged, owner, [this] { show(); });
}

QWidget* ModelComparison::Implementation::side(QWidget* title, GraphView* graph) const {
    auto* holder = new QWidget;
    auto* column = bareLayout<QVBoxLayout>(holder, theme().spacing());
    title->setFixedHeight(run->sizeHint().height());
    column->addWidget(title);
    column->addWidget(graph, 1);
    return holder;
}

void ModelComparison::Implementation::connectGraph(GraphView* graph, GraphView* other) {
    connect(graph, &GraphView::viewMoved, owner, [this, graph, other] {
        if (std::exchange(following, true)) return;
        other->followView(*graph);
        following = false;
    });
    connect(graph, &GraphView::nodeSelected, owner, [this, graph](int node) {
        const QString chosen = layerOfNode(*graph->contents(), node);
        if (!chosen.isEmpty()) choose(chosen);
    });
}

const ModelDifferences::Pair* ModelComparison::Implementation::pair() const {
    const int index = run->currentIndex();
    if (!differences || index < 0 || static_cast<std::size_t>(index) >= differences->pairs.size()) return nullptr;
    return &differences->pairs[static_cast<std::size_t>(index)];
}

void ModelComparison::Implementation::show() {
    const ModelDifferences::Pair* shown = pair();
    if (shown == nullptr) return;
    const auto fill = [](GraphView& graph, const std::shared_ptr<const ModelContents>& contents,
                         const std::shared_ptr<const LayerChanges>& changes) {
        GraphOverlay overlay;
        overlay.changes = changes;
        graph.setOverlay(overlay);
        graph.setColourBy(ColourBy::change);
        if (graph.contents() != contents) graph.setContents(contents);
    };
    fill(*before, shown->before, shown->gone);
    fill(*after, shown->after, shown->come);
    reveal();
}

/// Brings the chosen layer into view on both sides.
void ModelComparison::Implementation::reveal() const {
    for (GraphView* graph : {before, after}) {
        if (!graph->contents() || layer.isEmpty()) continue;
        const int node = nodeOfLayer(*graph->contents(), layer);
        const bool isSelected = graph->selected() >= 0 && layerOfNode(*graph->contents(), graph->selected()) == layer;
        if (node >= 0 && !isSelected) graph->reveal(node);
    }
}

/// Selects the layer on both sides and says so once.
void ModelComparison::Implementation::choose(const QString& chosen) {
    if (std::exchange(layer, chosen) == chosen) return;
    reveal();
    emit owner->layerChosen(chosen);
}

ModelComparison::ModelComparison(const QStringList& titles, QWidget* parent) : QWidget(parent), d_(new Implementation) {
    d_->owner = this;
    d_->titles = titles;
    d_->build();
}

ModelComparison::~ModelComparison() = default;

void ModelComparison::setDifferences(const std::shared_ptr<const ModelDifferences>& differences) {
    d_->differences = differences;
    d_->problems->setText(differences->problems.join(QLatin1Char(' ')));
    d_->problems->setVisible(!differences->problems.isEmpty());
    if (differences->pairs.empty()) {
        setSentence(differences->problems.isEmpty() ? u"All runs are of the same network."_s
                                                    : differences->problems.join(QLatin1Char(' ')));
        return;
    }
    for (const ModelDifferences::Pair& pair : differences->pairs) d_->run->addItem(d_->titles.value(pair.run));
    d_->beforeTitle->setText(u"%1, the baseline"_s.arg(shownName(differences->pairs.front().before->model.name)));
    d_->table = new TableView(modelDifferenceModel(differences, d_->titles, this), u"Models"_s);
    d_->parts->addWidget(d_->table);
    d_->parts->setStretchFactor(1, 2);
    connect(d_->table, &TableView::currentRowChanged, this, [this](int row) {
        if (row < 0) return;
        const ModelDifferences::Row& at = d_->differences->rows[static_cast<std::size_t>(row)];
        showRun(at.run);
        d_->choose(shownText(at.difference.name));
    });
    d_->stack->setCurrentIndex(1);
    d_->show();
}

void ModelComparison::setSentence(const QString& sentence) {
    d_->empty->setSentence(sentence);
    d_->stack->setCurrentIndex(0);
}

void ModelComparison::showRun(int run) {
    if (!d_->differences) return;
    const auto& pairs = d_->differences->pairs;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        if (pairs[i].run == run) d_->run->setCurrentIndex(static_cast<int>(i));
}

void ModelComparison::chooseLayer(const QString& layer) {
    d_->choose(layer);
}

}  // namespace tessera::ui
